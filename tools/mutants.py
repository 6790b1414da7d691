#!/usr/bin/env python3
"""Breaks the code in each of the ways of tests/mutants/*.patch and demands that the suite notices.

    mutants.py [--jobs N] [NAME …]     all mutants, or those named (file names without .patch)
    mutants.py --check                 only that every patch still applies; nothing is built

A patch begins with what it breaks, the test program (a CMake target) and a pattern (ctest -R) of its tests, of which at
least one must fail:

    Breaks: the epsilon is left out
    Program: backends_quick_test
    Caught by: EveryCase.*/rms_norm_

and may say what it needs (Needs: nvcc), without which it is left out, visibly. It is applied to a copy of the tree in build-mutants/, where only what it touches is built again.
"""
import argparse
import dataclasses
import fcntl
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATCHES = ROOT / "tests/mutants"
WORK = ROOT / "build-mutants"
TREE = WORK / "tree"
BUILD = WORK / "build"
COPIED = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "apps", "bench", "builtin", "cmake", "examples", "include", "src", "tests",
          "tools")
# Optimized as little as keeps the tests quick; one instruction set; a mutant may leave a variable unused.
CONFIGURE = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Mutant", "-DCMAKE_CXX_FLAGS_MUTANT=-O1", "-DLINNET_WERROR=OFF",
             "-DLINNET_ONE_INSTRUCTION_SET=ON")
HUNK = re.compile(r"^@@ -(\d+)")


class Broken(Exception):
    """The check cannot pass: what is said in the message has to be mended."""


@dataclasses.dataclass
class Hunk:
    line: int  # where the patch says the old lines begin, from 0
    old: list
    new: list

    def apply(self, lines):
        """The lines with this hunk applied at the match nearest to where it was made; None if there is none."""
        places = [at for at in range(len(lines) - len(self.old) + 1) if lines[at:at + len(self.old)] == self.old]
        if not places:
            return None
        at = min(places, key=lambda place: abs(place - self.line))
        return lines[:at] + self.new + lines[at + len(self.old):]


@dataclasses.dataclass
class Mutant:
    name: str
    breaks: str
    program: str
    caught_by: str
    files: dict  # path → hunks
    needs: str = ""  # a program

    @staticmethod
    def read(path):
        text = path.read_text()
        header = dict(re.findall(r"^(Breaks|Program|Caught by|Needs): (.+)$", text, re.MULTILINE))
        for key in ("Breaks", "Program", "Caught by"):
            if key not in header:
                raise Broken(f"{path.name}: expected a line '{key}: …' before the patch")
        files, hunks, hunk = {}, None, None
        for line in text.split("\n"):
            if line.startswith("+++ b/"):
                hunks, hunk = files.setdefault(line[6:].split("\t")[0], []), None
            elif hunks is not None and HUNK.match(line):
                hunk = Hunk(int(HUNK.match(line).group(1)) - 1, [], [])
                hunks.append(hunk)
            elif hunk and line[:1] in (" ", "-", "+") and not line.startswith(("--- a/", "+++ ")):
                if line[0] in " -":
                    hunk.old.append(line[1:])
                if line[0] in " +":
                    hunk.new.append(line[1:])
        if not any(files.values()):
            raise Broken(f"{path.name}: no patch in it")
        return Mutant(path.stem, header["Breaks"], header["Program"], header["Caught by"], files, header.get("Needs", ""))

    def can_run(self):
        return not self.needs or shutil.which(self.needs) is not None

    def mutated(self, root):
        """path → text of each file it changes. Throws Broken if it no longer applies."""
        result = {}
        for path, hunks in self.files.items():
            file = root / path
            lines = file.read_text().split("\n") if file.is_file() else []
            for hunk in hunks:
                lines = hunk.apply(lines)
                if lines is None:
                    raise Broken(f"{self.name}: no longer applies to {path}")
            result[path] = "\n".join(lines)
        return result


def copy_tree():
    """Brings the copy up to date, touching only what differs, so that the build there stays incremental."""
    wanted = set()
    for name in COPIED:
        source = ROOT / name
        for file in [source] if source.is_file() else source.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                wanted.add(file.relative_to(ROOT))
    for relative in wanted:
        target = TREE / relative
        if not target.is_file() or target.read_bytes() != (ROOT / relative).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / relative, target)
    for file in TREE.rglob("*"):
        if file.is_file() and file.relative_to(TREE) not in wanted:
            file.unlink()


def quiet(command):
    """Runs a command; its output and whether it succeeded."""
    done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, done.returncode == 0


def build(programs, jobs):
    return quiet(["ninja", "-j", str(jobs), *programs])


def run_tests(pattern, jobs):
    return quiet(["ctest", "-R", pattern, "-j", str(jobs), "--no-tests=error", "--stop-on-failure", "--timeout", "120"])


def prepare(mutants, jobs):
    """A build of the copy in which every test that a mutant names passes."""
    copy_tree()
    BUILD.mkdir(exist_ok=True)
    output, ok = quiet(["cmake", "-S", str(TREE), *CONFIGURE])
    if ok:
        output, ok = build(sorted({mutant.program for mutant in mutants}), jobs)
    if not ok:
        raise Broken(f"the tree itself does not build:\n{output[-4000:]}")
    for pattern in sorted({mutant.caught_by for mutant in mutants}):
        output, ok = run_tests(pattern, jobs)
        if not ok:
            raise Broken(f"tests matching {pattern} are missing or fail without any mutant:\n{output[-4000:]}")


def verdict_on(mutant, jobs):
    """"caught", or what is wrong. Leaves the copy as it found it."""
    changed = mutant.mutated(TREE)
    before = {path: (TREE / path).read_text() for path in changed}
    try:
        for path, text in changed.items():
            (TREE / path).write_text(text)
        output, ok = build([mutant.program], jobs)
        if not ok:
            return f"does not compile:\n{output[-2000:]}"
        _, ok = run_tests(mutant.caught_by, jobs)
        return f"SURVIVED: {mutant.breaks}" if ok else "caught"
    finally:
        for path, text in before.items():
            (TREE / path).write_text(text)


def check_patches(mutants):
    for mutant in mutants:
        mutant.mutated(ROOT)
    print(f"mutants: {len(mutants)} patches apply")


def run_all(mutants, jobs):
    start = time.monotonic()
    for mutant in mutants:
        if not mutant.can_run():
            print(f"{mutant.name:32} left out: {mutant.needs} is not installed", flush=True)
    mutants = [mutant for mutant in mutants if mutant.can_run()]
    prepare(mutants, jobs)
    print(f"mutants: the copy is built and passes, {time.monotonic() - start:.0f} s", flush=True)
    bad = 0
    for mutant in mutants:
        begin = time.monotonic()
        verdict = verdict_on(mutant, jobs)
        bad += verdict != "caught"
        print(f"{mutant.name:32} {time.monotonic() - begin:5.0f} s  {verdict}", flush=True)
    print(f"mutants: {len(mutants) - bad} caught, {bad} not, {time.monotonic() - start:.0f} s")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="only see that every patch still applies")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    try:
        mutants = [Mutant.read(path) for path in sorted(PATCHES.glob("*.patch"))]
        unknown = set(arguments.names) - {mutant.name for mutant in mutants}
        if unknown or not mutants:
            raise Broken(f"no such patch in tests/mutants: {', '.join(sorted(unknown)) or 'none at all'}")
        if arguments.names:
            mutants = [mutant for mutant in mutants if mutant.name in arguments.names]
        check_patches(mutants)
        if arguments.check:
            return 0
        WORK.mkdir(exist_ok=True)
        with open(WORK / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # one run at a time
            return run_all(mutants, arguments.jobs)
    except Broken as problem:
        print(f"mutants: {problem}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
