#!/usr/bin/env python3
"""The shared library shows its public symbols and nothing else: symbols_test.py NM LIBRARY."""
import subprocess
import sys

PUBLIC = ("linnet_", "linnet::v0::")
ALSO = {f"{what} linnet::v0::Error" for what in ("typeinfo for", "typeinfo name for", "vtable for")}


def main():
    nm, library = sys.argv[1:]
    listing = subprocess.run([nm, "-DC", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = [line.split(maxsplit=2)[2] for line in listing.splitlines()]
    strangers = [name for name in names if name not in ALSO and (not name.startswith(PUBLIC) or "::Impl::" in name)]
    for name in strangers:
        print(f"should be hidden: {name}")
    if not any(name.startswith("linnet_generate") for name in names):
        print("linnet_generate is missing")
        return 1
    print(f"{len(names)} symbols, {len(strangers)} strangers")
    return 1 if strangers else 0


if __name__ == "__main__":
    sys.exit(main())
