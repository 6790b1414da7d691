#!/usr/bin/env python3
"""The checks of the tree find what they are for: each is run on a small tree with a planted fault."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402
import check_links  # noqa: E402
import check_ops  # noqa: E402
import mutants  # noqa: E402


class Planted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def plant(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


class Layers(Planted):
    def setUp(self):
        super().setUp()
        for header in ("base/error.h", "program/plan.h", "models/llama.h", "api/handles.h", "backends/compiled_in.h",
                       "backends/cpu/device.h", "backends/cpu/kernels/add.h", "backends/reference/device.h"):
            self.plant(f"src/{header}", "#pragma once\n")

    def complaints(self, path, include):
        self.plant(path, f"// A file.\n#include {include}\n")
        found = check_layers.check(self.root)[0]
        (self.root / path).unlink()
        return found

    def test_downwards_is_allowed(self):
        self.assertEqual(self.complaints("src/program/plan.cpp", '"base/error.h"'), [])
        self.assertEqual(self.complaints("src/backends/cpu/device.cpp", '"backends/cpu/kernels/add.h"'), [])
        self.assertEqual(self.complaints("apps/linnet/run.cpp", '"base/error.h"'), [])

    def test_upwards_is_found_with_file_and_line(self):
        found = self.complaints("src/program/plan.cpp", '"models/llama.h"')
        self.assertEqual(found, ["src/program/plan.cpp:2: program must not include models (src/models/llama.h)"])

    def test_a_backend_in_another_is_found(self):
        self.assertEqual(len(self.complaints("src/backends/cpu/device.cpp", '"backends/reference/device.h"')), 1)

    def test_a_relative_path_does_not_hide_it(self):
        self.assertEqual(len(self.complaints("src/backends/cpu/device.cpp", '"../reference/device.h"')), 1)
        self.assertEqual(len(self.complaints("src/base/error.cpp", "<models/llama.h>")), 1)

    def test_only_the_list_knows_the_backends(self):
        self.assertEqual(self.complaints("src/backends/compiled_in.cpp", '"backends/cpu/device.h"'), [])
        self.assertEqual(self.complaints("src/api/device.cpp", '"backends/compiled_in.h"'), [])
        self.assertEqual(len(self.complaints("src/api/device.cpp", '"backends/cpu/device.h"')), 1)

    def test_a_tool_of_bench_knows_no_backend_by_name(self):
        self.assertEqual(self.complaints("bench/cuda/chain.cpp", '"models/llama.h"'), [])
        self.assertEqual(len(self.complaints("bench/cuda/chain.cpp", '"backends/cpu/device.h"')), 1)

    def test_a_folder_nobody_listed_is_found(self):
        self.assertEqual(len(self.complaints("src/helpers/misc.cpp", '"base/error.h"')), 1)


class Ops(Planted):
    def setUp(self):
        super().setUp()
        self.plant("src/program/ops/add.h", 'static constexpr std::string_view kName = "add";\n')
        for path in ("program/ops", "check/cases", "check/tolerances", "backends/reference/kernels",
                     "backends/cpu/kernels"):
            self.plant(f"src/{path}/add.cpp", "")

    def test_a_whole_op_passes(self):
        self.assertEqual(check_ops.missing_files(self.root), ([], 1))

    def test_a_missing_kernel_and_missing_cases_are_found(self):
        for path in ("src/backends/cpu/kernels/add.cpp", "src/check/cases/add.cpp"):
            (self.root / path).unlink()
            self.assertIn((path, "op add"), check_ops.missing_files(self.root)[0])

    def test_a_fused_op_needs_cases_and_no_kernel(self):
        self.plant("src/program/ops/both.h", 'kName = "both"; void expand(Recorder& into) const;')
        self.plant("src/program/ops/both.cpp", "")
        self.assertEqual([path for path, _ in check_ops.missing_files(self.root)[0]], ["src/check/cases/both.cpp"])


class Links(Planted):
    def test_dead_links_and_paths_are_found(self):
        self.plant("src/base/error.h", "")
        self.plant("docs/a.md", "[good](../src/base/error.h#L3) [web](https://example.org) [bad](b.md)\n"
                                "`src/base/error.h` and `src/base/gone.h`\n")
        self.assertEqual(check_links.broken_links(self.root), [("docs/a.md", "b.md"), ("docs/a.md", "src/base/gone.h")])


class Mutants(Planted):
    PATCH = ("Breaks: the sum\nProgram: ops_test\nCaught by: ^Add\\.\n\n--- a/src/add.cpp\n+++ b/src/add.cpp\n"
             "@@ -2,3 +2,3 @@\n {\n-  return a + b;\n+  return a - b;\n }\n")

    def mutant(self, text=PATCH):
        self.plant("m.patch", text)
        return mutants.Mutant.read(self.root / "m.patch")

    def test_a_patch_applies_where_lines_have_moved(self):
        self.plant("src/add.cpp", "// One line.\n// More.\nint add(int a, int b)\n{\n  return a + b;\n}\n")
        self.assertIn("return a - b;", self.mutant().mutated(self.root)["src/add.cpp"])

    def test_a_patch_that_no_longer_applies_is_found(self):
        self.plant("src/add.cpp", "int add(int a, int b)\n{\n  return b + a;\n}\n")
        with self.assertRaisesRegex(mutants.Broken, "no longer applies"):
            self.mutant().mutated(self.root)

    def test_a_patch_without_a_catcher_is_found(self):
        with self.assertRaisesRegex(mutants.Broken, "Caught by"):
            self.mutant(self.PATCH.replace("Caught by: ^Add\\.\n", ""))

    def test_a_patch_runs_where_what_it_needs_is_there(self):
        for program, can in (("sh", True), ("no-such-compiler", False)):
            self.assertEqual(self.mutant("Needs: " + program + "\n" + self.PATCH).can_run(), can)
        self.assertTrue(self.mutant().can_run())


if __name__ == "__main__":
    unittest.main()
