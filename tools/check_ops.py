#!/usr/bin/env python3
"""Every op is whole: its header in src/program/ops has a definition, cases, and where it needs them kernels and tolerances.

    check_ops.py [ROOT]

A fused op (one with expand) needs neither: what it expands to has them. A backend may keep it with a kernel.
"""
import pathlib
import re
import sys

BACKENDS_WITH_ALL_PRIMITIVES = ("reference", "cpu")
OP = re.compile(r'kName = "([a-z0-9_]+)"')
EXPAND = re.compile(r"\bvoid expand\(Recorder&")


def missing_files(root):
    """("src/…", why) for each file that should be there; and how many ops were looked at."""
    missing, ops = [], 0
    for header in sorted((root / "src/program/ops").glob("*.h")):
        text = header.read_text()
        match = OP.search(text)
        if not match:
            continue  # shared by several ops, e.g. paging.h
        ops += 1
        name = match.group(1)
        if name != header.stem:
            missing.append((f"src/program/ops/{name}.h", f"{header.name} calls its op {name}"))
        wanted = [f"src/program/ops/{name}.cpp", f"src/check/cases/{name}.cpp"]
        if not EXPAND.search(text):
            wanted.append(f"src/check/tolerances/{name}.cpp")
            wanted += [f"src/backends/{backend}/kernels/{name}.cpp" for backend in BACKENDS_WITH_ALL_PRIMITIVES]
        missing += [(path, f"op {name}") for path in wanted if not (root / path).is_file()]
    return missing, ops


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    missing, ops = missing_files(root)
    for path, why in missing:
        print(f"missing: {path} ({why})")
    print(f"ops: {ops} looked at, {len(missing)} files missing")
    return 1 if missing or ops == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
