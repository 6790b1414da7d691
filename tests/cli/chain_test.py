#!/usr/bin/env python3
"""The tool bench/cuda/chain: where there is no GPU, wrong command lines, and what it reports."""
import json
import os
import sys
import unittest

from program import LINNET, ROOT, linnet, main, skip_without_cuda

CHAIN = os.environ.get("LINNET_CHAIN", str(ROOT / "build" / "bench" / "cuda" / "chain"))
WIDTH, HEADS, KV_HEADS, MLP_WIDTH, VOCABULARY, LAYERS, RUNS = 256, 4, 2, 512, 1000, 3, 4
SMALL = ("--width", WIDTH, "--heads", HEADS, "--kv-heads", KV_HEADS, "--mlp-width", MLP_WIDTH, "--vocabulary", VOCABULARY,
         "--layers", LAYERS, "-n", RUNS, "-r", 3)


class ChainTest(unittest.TestCase):
    def expect(self, code, *arguments, **options):
        done = linnet(*arguments, program=CHAIN, **options)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        if code != 0:
            self.assertTrue(done.stderr.startswith("chain: "), done.stderr)
            self.assertEqual(done.stdout, "")
        return done

    def measured(self, *arguments):
        return json.loads(self.expect(0, *SMALL, *arguments, "--json").stdout)


class Chain(ChainTest):
    def test_without_a_gpu_it_says_why(self):
        hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        done = self.expect(4, env=hidden)
        self.assertRegex(done.stderr, r"device 'cuda' cannot be used: .*NVIDIA")
        self.assertIn("linnet devices", done.stderr)

    def test_help_teaches_with_examples(self):
        text = self.expect(0, "--help").stdout
        self.assertIn("Examples:", text)
        self.assertIn("(time − bytes / bandwidth) / stages", text)
        for option in ("--shape", "--layers", "--format", "--launching", "--context", "--json"):
            self.assertIn(option, text)

    def test_wrong_command_lines_are_2(self):
        for line in (("--shape", "giant"), ("--format", "q2"), ("--launching", "auto"), ("--context", "0"),
                     ("--context", "1,x"), ("--kv-heads", "3"), ("--width", "100"), ("--mlp-width", "33"), ("-n", "0"),
                     ("--layers", "many"), ("--device", "abacus"), ("extra",)):
            with self.subTest(line=line):
                self.assertIn("chain --help", self.expect(2, *line).stderr)

    def test_reports_every_format_way_and_context(self):
        answer = self.measured("--device", "cpu", "--format", "bf16,q8_0", "--launching", "graph,kernels", "--context", "1,70")
        rows = [(row["format"], row["launching"], row["context"]) for row in answer["measured"]]
        self.assertEqual(rows, [(f, w, c) for f in ("bf16", "q8_0") for w in ("graph", "kernels") for c in (1, 70)])

    def test_counts_stages_and_bytes(self):
        answer = self.measured("--device", "cpu", "--format", "bf16,q8_0", "--launching", "graph", "--context", "70")
        head_width = WIDTH // HEADS
        a_layer = (HEADS + 2 * KV_HEADS) * head_width * WIDTH + WIDTH * WIDTH + 3 * MLP_WIDTH * WIDTH
        matrices = LAYERS * a_layer + VOCABULARY * WIDTH
        floats = (2 * LAYERS + 1) * WIDTH + head_width  # norms, and the angles' frequencies in two parts
        for row, bytes_of_32 in zip(answer["measured"], (64, 34)):
            self.assertEqual(row["stages"], 5 * LAYERS + 1)
            self.assertEqual(row["weight_bytes"], matrices // 32 * bytes_of_32 + 4 * floats)
            # The cache of the CPU is F32; runs attend to 70, 71, 72 and 73 tokens.
            self.assertEqual(row["kv_bytes"], 4 * 2 * LAYERS * KV_HEADS * head_width * 71.5)

    def test_what_is_lost_follows_from_what_it_reports(self):
        answer = self.measured("--device", "cpu", "--launching", "kernels", "--context", "1")
        row = answer["measured"][0]
        self.assertEqual(len(row["all_seconds"]), 3)
        self.assertEqual(row["seconds"], sorted(row["all_seconds"])[1])
        floor = (row["weight_bytes"] + row["kv_bytes"]) / answer["bandwidth"]
        self.assertAlmostEqual(row["seconds_lost_a_stage"], (row["seconds"] - floor) / row["stages"], places=12)
        self.assertAlmostEqual(row["share_of_bandwidth"], floor / row["seconds"], places=9)

    def test_a_walk_that_was_not_taken_is_marked(self):
        text = self.expect(0, *SMALL, "--device", "cpu").stdout
        self.assertRegex(text, r"(?m)^bf16 +walk \* +1 ")
        self.assertRegex(text, r"(?m)^bf16 +graph +1 ")
        self.assertIn("* the walk does not take", text)

    def test_what_does_not_fit_is_5(self):
        line = ("--device", "cpu", "--width", 1 << 20, "--heads", 1024, "--kv-heads", 1024, "--mlp-width", 1 << 20)
        self.assertIn("fewer --layers", self.expect(5, *line, "--layers", 1024).stderr)


class ChainOnCuda(ChainTest):
    def setUp(self):
        skip_without_cuda(self)

    def test_every_way_of_launching_runs(self):
        answer = self.measured("--format", "bf16,q8_0", "--context", "1,200")
        self.assertEqual(len(answer["measured"]), 12)
        for row in answer["measured"]:
            self.assertGreater(row["seconds"], 0)
            if row["launching"] != "walk":
                self.assertFalse(row["walked"], row)
            elif answer["detail"].endswith("compute capability 9.0"):  # others may lack the shared memory for it
                self.assertTrue(row["walked"], row)


if __name__ == "__main__":
    sys.exit(main())
