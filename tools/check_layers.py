#!/usr/bin/env python3
"""Keeps the arrows of docs/design.md: reads the includes of src/, apps/ and bench/ and names those that point the wrong way.

    check_layers.py [ROOT]

A static library would link a forbidden include happily, so the build does not notice.
"""
import os
import pathlib
import re
import sys

# Who may include whom. A folder that is not here may include nothing, and is reported.
ALLOWED = {
    "base": set(),
    "format": {"base"},
    "program": {"format", "base"},
    "device": {"program", "format", "base"},
    "backends": {"device", "program", "format", "base"},
    "check": {"device", "program", "format", "base"},
    "files": {"format", "base"},
    "text": {"files", "format", "base"},
    "nn": {"program", "format", "base"},
    "models": {"nn", "program", "files", "text", "format", "base"},
    "runtime": {"models", "nn", "device", "program", "files", "format", "base"},
    "tasks": {"runtime", "models", "device", "program", "files", "text", "format", "base"},
    "api": {"tasks", "runtime", "models", "check", "backends", "device", "program", "files", "text", "format", "base"},
    # The command line stands on the public API; what only a developer's tool needs, it takes from below.
    "apps": {"api", "check", "tasks", "runtime", "models", "backends", "device", "program", "files", "text", "format",
             "base"},
    # Tools that measure stand on the layers themselves, with programs that no file describes.
    "bench": {"check", "runtime", "models", "nn", "backends", "device", "program", "format", "base"},
}
# The only file that may know more than one backend: the list of them.
LIST_OF_BACKENDS = "src/backends/compiled_in.cpp"
SUFFIXES = {".h", ".hpp", ".cpp", ".cu", ".cuh", ".mm"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')


def layer_of(path):
    """("backends", "cpu") for src/backends/cpu/…; ("text", "") for src/text/…; ("apps", "") for apps/…, so for bench/; else None."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] in ("apps", "bench"):
        return parts[0], ""
    if parts[0] != "src" or len(parts) < 3:
        return None
    return parts[1], parts[2] if parts[1] == "backends" and len(parts) > 3 else ""


def included_file(root, path, target):
    """The file of the tree that an include names: from src/, from include/, or from the file's own folder."""
    beside = os.path.normpath(pathlib.PurePosixPath(path).parent / target)
    for candidate in (f"src/{target}", f"include/{target}", beside):
        if (root / candidate).is_file():
            return candidate
    return None


def complaint(path, target):
    """Why `path` must not include `target`, both relative to the root; empty if it may."""
    mine, theirs = layer_of(path), layer_of(target)
    if mine is None or theirs is None or mine == theirs:
        return ""
    if mine[0] not in ALLOWED:
        return f"src/{mine[0]} is not a layer of docs/design.md"
    if mine[0] == theirs[0] == "backends":
        if not theirs[1] or path == LIST_OF_BACKENDS:
            return ""
        return f"backends/{mine[1] or '*'} must not know backends/{theirs[1]}"
    if theirs[0] not in ALLOWED[mine[0]]:
        return f"{mine[0]} must not include {theirs[0]}"
    if theirs[0] == "backends" and theirs[1]:
        return f"{mine[0]} must not know a backend by name; backends/compiled_in.h is the list"
    return ""


def check(root):
    """All complaints as "file:line: why (target)", and the number of files read."""
    complaints, files = [], 0
    for folder in ("src", "apps", "bench"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            files += 1
            path = file.relative_to(root).as_posix()
            for number, line in enumerate(file.read_text(errors="replace").split("\n"), 1):
                match = INCLUDE.match(line)
                target = match and included_file(root, path, match.group(1))
                why = complaint(path, target) if target else ""
                if why:
                    complaints.append(f"{path}:{number}: {why} ({target})")
    return complaints, files


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    complaints, files = check(root)
    print("\n".join(complaints) if complaints else f"layers: {files} files keep the arrows")
    if files == 0:
        print("layers: nothing to read: wrong folder?")
    return 1 if complaints or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
