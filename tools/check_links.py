#!/usr/bin/env python3
"""Every link of the tree's .md files to a file of the tree resolves, and so does every `path/like/this.h` in backticks.

    check_links.py [ROOT]
"""
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# A path in backticks that names a file: it has a folder of the tree in front and a suffix, and no pattern in it.
CODE_PATH = re.compile(r"`((?:src|include|apps|builtin|examples|tests|tools|cmake|docs|bench)/[A-Za-z0-9_./-]+\.[a-z0-9]+)`")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def documents(root):
    for path in sorted(root.rglob("*.md")):
        first = path.relative_to(root).parts[0]
        if not first.startswith("build") and first != ".git":
            yield path


def broken_links(root):
    broken = []
    for path in documents(root):
        text = FENCE.sub("", path.read_text())
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target) or target.startswith("#"):
                continue
            if not (path.parent / target.split("#")[0]).exists():
                broken.append((path.relative_to(root).as_posix(), target))
        for target in CODE_PATH.findall(text):
            if not (root / target).exists():
                broken.append((path.relative_to(root).as_posix(), target))
    return broken


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    broken = broken_links(root)
    for path, target in broken:
        print(f"{path}: {target} is not there")
    print(f"links: {len(list(documents(root)))} documents, {len(broken)} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
