#!/usr/bin/env python3
"""Builds and runs the suite stage by stage and ends with one line of totals over all of them.

    run_tests.py [--all] [--only STAGE] [--jobs N] [--fuzz-seconds S]

A stage that fails does not stop the others; one that cannot be built counts as one failure.
"""
import argparse
import dataclasses
import pathlib
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass
class Stage:
    """A preset of CMakePresets.json: configure, build its targets, run its tests."""
    name: str
    preset: str
    why: str
    configure: list = dataclasses.field(default_factory=list)
    needs: str = ""  # a program without which the stage is skipped
    steady_addresses: bool = False  # run without address space randomization


@dataclasses.dataclass
class Totals:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __iadd__(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        return self

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def stages(everything, fuzz_seconds):
    fuzz = [f"-DLINNET_FUZZ_SECONDS={fuzz_seconds}"]
    found = [
        Stage("release", "release", "the whole suite as it is shipped"),
        Stage("asan", "asan", "quick tests under AddressSanitizer and UndefinedBehaviorSanitizer"),
        Stage("tsan", "tsan", "tests with threads under ThreadSanitizer", steady_addresses=True),
        Stage("fuzz", "fuzz", f"fuzz corpora, then {fuzz_seconds} seconds each", fuzz, needs="clang++-19"),
    ]
    if everything:
        found[1] = Stage("asan", "asan-all", "the whole suite, every instruction set, under ASan and UBSan")
        found[2] = Stage("tsan", "tsan-all", "tests with threads, every instruction set, under ThreadSanitizer",
                         steady_addresses=True)
        found.append(Stage("apart", "dev", "every file compiled by itself, with assertions"))
    return found


def run(command):
    print("+", " ".join(map(str, command)), flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def read_totals(junit):
    """Counts what ctest wrote with --output-junit."""
    suite = xml.etree.ElementTree.parse(junit).getroot()
    total, failed, skipped = (int(suite.get(key, 0)) for key in ("tests", "failures", "skipped"))
    skipped += int(suite.get("disabled", 0))
    return Totals(total - failed - skipped, failed, skipped)


def without_randomization():
    """GCC 12's ThreadSanitizer cannot start where the kernel scatters mappings widely."""
    prefix = ["setarch", "-R"]
    works = shutil.which("setarch") and subprocess.run([*prefix, "true"], check=False).returncode == 0
    return prefix if works else []


def run_stage(stage, jobs):
    print(f"\n== {stage.name}: {stage.why}", flush=True)
    if stage.needs and not shutil.which(stage.needs):
        print(f"skipped: {stage.needs} is not installed")
        return Totals(skipped=1)
    if run(["cmake", "--preset", stage.preset, *stage.configure]):
        print(f"{stage.name}: cannot be configured")
        return Totals(failed=1)
    if run(["cmake", "--build", "--preset", stage.preset, "-j", str(jobs)]):
        print(f"{stage.name}: cannot be built")
        return Totals(failed=1)
    junit = ROOT / ("build" if stage.preset == "release" else f"build-{stage.preset}") / "junit.xml"
    junit.unlink(missing_ok=True)
    prefix = without_randomization() if stage.steady_addresses else []
    code = run([*prefix, "ctest", "--preset", stage.preset, "-j", str(jobs), "--no-tests=error",
                "--output-junit", str(junit)])
    totals = read_totals(junit) if junit.exists() else Totals()
    if code and not totals.failed:
        totals.failed = 1  # ctest itself failed, or found no tests
    return totals


def run_mutants(jobs):
    print("\n== mutants: each committed way of breaking the code is noticed", flush=True)
    code = run([sys.executable, "tools/mutants.py", "--jobs", str(jobs)])
    return Totals(failed=1) if code else Totals(passed=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", action="store_true", help="every instruction set under sanitizers, and the mutants")
    parser.add_argument("--only", help="this stage only: release, asan, tsan or fuzz; with --all also apart")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fuzz-seconds", type=int, default=30)
    arguments = parser.parse_args()

    totals, report = Totals(), []
    for stage in stages(arguments.all, arguments.fuzz_seconds):
        if stage.name != arguments.only if arguments.only else stage.name == "fuzz" and not arguments.all:
            continue
        start = time.monotonic()
        result = run_stage(stage, arguments.jobs)
        totals += result
        report.append((stage.name, time.monotonic() - start, result))
    if arguments.all and not arguments.only:
        start = time.monotonic()
        result = run_mutants(arguments.jobs)
        totals += result
        report.append(("mutants", time.monotonic() - start, result))
    print()
    for name, seconds, result in report:
        print(f"{name:8} {seconds:6.0f} s  {result}")
    print(totals, flush=True)
    return 1 if totals.failed or not report else 0


if __name__ == "__main__":
    sys.exit(main())
