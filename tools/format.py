#!/usr/bin/env python3
"""Lays the C and C++ files of the tree out with clang-format 14, or with --check says which ones are not.

Version 14 is what Debian 12 has; other versions disagree about details. Exit code 77 (skipped) where it is absent.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("include", "src", "apps", "examples", "tests", "bench")
SUFFIXES = {".h", ".hpp", ".cpp", ".c", ".cu", ".cuh"}
SKIPPED = 77


def find_clang_format():
    for name in ("clang-format-14", "clang-format"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], capture_output=True, text=True, check=True).stdout
            if re.search(r"version 14\.", version):
                return name
    return None


def main():
    program = find_clang_format()
    if not program:
        print("format: clang-format 14 is not installed")
        return SKIPPED
    files = sorted(str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).rglob("*")
                   if path.suffix in SUFFIXES)
    mode = ["--dry-run", "-Werror"] if "--check" in sys.argv[1:] else ["-i"]
    return subprocess.run([program, *mode, *files], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
