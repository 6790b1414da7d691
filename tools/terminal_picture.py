#!/usr/bin/env python3
"""Runs a command on a pseudo-terminal and draws what it showed as an SVG picture of a terminal.

    terminal_picture.py [--document FILE.md] OUT.svg COMMAND [ARGUMENT …]

With --document the same text is also put between the lines "<!-- terminal -->" and "<!-- /terminal -->" of that file, with
the picture below it. Nothing is drawn if the command fails. Only the standard library is needed.
"""
import argparse
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios
from xml.sax.saxutils import escape

COLUMNS, ROWS = 110, 50
SIZE, LEADING, WIDTH = 14, 20, 8.43  # of the letters: pixels, from line to line, and how wide a monospaced one is
MARGIN, BAR = 18, 34
BACKGROUND, TITLE_BAR, TEXT, BOLD = "#1b1f24", "#2b3138", "#d8dee4", "#ffffff"
BEGIN, END = "<!-- terminal -->\n", "<!-- /terminal -->\n"
ESCAPE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])")


def record(command):
    """What the command shows on a terminal, and its exit code."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    shown = b""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave) as process:
        os.close(slave)
        while True:
            try:
                data = os.read(master, 1 << 16)
            except OSError:  # how Linux says that the other side is closed
                break
            if not data:
                break
            shown += data
    os.close(master)
    return shown.decode(errors="replace").replace("\r\n", "\n"), process.returncode


def lines_of(shown):
    """Lines of (text, is bold) runs, as wide as the terminal at most. All that is understood is bold and plain."""
    lines, bold = [], False
    for line in shown.rstrip("\n").split("\n"):
        runs, column, at = [], 0, 0
        for match in [*ESCAPE.finditer(line), None]:
            text = line[at:match.start() if match else len(line)].split("\r")[-1]
            while text:
                part, text = text[:COLUMNS - column], text[COLUMNS - column:]
                runs.append((part, bold))
                column += len(part)
                if text:
                    lines.append(runs)
                    runs, column = [], 0
            if match:
                at = match.end()
                if match[2] == "m":
                    bold = match[1] == "1"
        lines.append(runs)
    return lines


def draw(lines, title):
    width = round(2 * MARGIN + COLUMNS * WIDTH)
    height = BAR + 2 * MARGIN + LEADING * len(lines)
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" '
           f'font-size="{SIZE}">',
           f"<title>{escape(title)}</title>",
           f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
           f'<path d="M0 {BAR}V8a8 8 0 0 1 8-8H{width - 8}a8 8 0 0 1 8 8V{BAR}z" fill="{TITLE_BAR}"/>']
    svg += [f'<circle cx="{20 + 20 * i}" cy="{BAR // 2}" r="6" fill="{colour}"/>'
            for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))]
    for number, runs in enumerate(lines):
        column, y = 0, BAR + MARGIN + SIZE + LEADING * number
        for text, bold in runs:
            style = f'fill="{BOLD}" font-weight="bold"' if bold else f'fill="{TEXT}"'
            # The length is given, so that columns stay columns in whatever font there is.
            svg.append(f'<text x="{MARGIN + column * WIDTH:.1f}" y="{y}" {style} xml:space="preserve" '
                       f'textLength="{len(text) * WIDTH:.1f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>')
            column += len(text)
    return "\n".join(svg) + "\n</svg>\n"


def put_into(document, lines, picture, title):
    text = document.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise SystemExit(f"terminal_picture: {document} has no place for it: expected the lines {BEGIN.strip()} and "
                         f"{END.strip()}, once each")
    before, rest = text.split(BEGIN)
    plain = "\n".join("".join(part for part, _ in runs).rstrip() for runs in lines)
    link = os.path.relpath(picture, document.parent).replace(os.sep, "/")
    document.write_text(f"{before}{BEGIN}```\n{plain}\n```\n\n![{title}]({link})\n{END}{rest.split(END)[1]}",
                        encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--title", default="A terminal")
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not arguments.command:
        parser.error("expected a command")
    shown, code = record(arguments.command)
    if code != 0:
        print(f"{shown}terminal_picture: the command ended with {code}; nothing was drawn", file=sys.stderr)
        return 1
    lines = lines_of(shown)
    arguments.picture.parent.mkdir(parents=True, exist_ok=True)
    arguments.picture.write_text(draw(lines, arguments.title), encoding="utf-8")
    if arguments.document:
        put_into(arguments.document, lines, arguments.picture, arguments.title)
    return 0


if __name__ == "__main__":
    sys.exit(main())
