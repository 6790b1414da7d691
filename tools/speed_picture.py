#!/usr/bin/env python3
"""A picture of decode speed beside the limit that memory sets, from a table of measurements.

    speed_picture.py TABLE.tsv OUT.svg --title TEXT

The table has a line for each model: name, tokens/s, the other program's tokens/s, megabytes read for a token, and the read
bandwidth in GB/s that was measured in the same run. Bars are shares of the tokens/s that this bandwidth allows.
"""
import argparse
import csv
import html
import pathlib

LEFT, WIDTH, BAR, GAP, TOP = 190, 520, 16, 22, 64
OURS, THEIRS, INK, FAINT = "#1f6f8b", "#b9c4c9", "#20303a", "#8a99a1"


def text(x, y, words, **style):
    """One line of words."""
    given = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x}" y="{y}"{given}>{html.escape(words)}</text>'


def bar(y, share, colour, words):
    """A share of the limit, and what it is in tokens/s."""
    length = round(WIDTH * share, 1)
    return [f'<rect x="{LEFT}" y="{y}" width="{length}" height="{BAR}" rx="2" fill="{colour}"/>',
            text(LEFT + length + 6, y + BAR - 4, words, fill=INK)]


def draw(rows, title):
    """The picture, as lines of SVG."""
    height = TOP + len(rows) * (2 * BAR + GAP) + 12
    lines = [text(16, 24, title, font_size="15", font_weight="bold", fill=INK),
             f'<rect x="16" y="36" width="10" height="10" fill="{OURS}"/>', text(30, 45, "Linnet", fill=INK),
             f'<rect x="90" y="36" width="10" height="10" fill="{THEIRS}"/>', text(104, 45, "llama.cpp", fill=INK)]
    for percent in range(0, 101, 25):
        x = LEFT + WIDTH * percent / 100
        colour = INK if percent == 100 else FAINT
        lines += [f'<line x1="{x}" x2="{x}" y1="{TOP - 6}" y2="{height - 12}" stroke="{colour}" stroke-width="0.6"/>',
                  text(x, TOP - 12, f"{percent} %", fill=colour, text_anchor="middle")]
    y = TOP + 4
    for row in rows:
        limit = float(row["GB/s read"]) * 1000 / float(row["MB a token"])
        lines.append(text(LEFT - 10, y + BAR + 5, row["model"], fill=INK, text_anchor="end"))
        for offset, column, colour in ((0, "tokens/s", OURS), (BAR, "llama.cpp tokens/s", THEIRS)):
            speed = float(row[column])
            lines += bar(y + offset, speed / limit, colour, f"{speed:,.0f} tokens/s, {100 * speed / limit:.0f} %")
        y += 2 * BAR + GAP
    size = f'width="{LEFT + WIDTH + 190}" height="{height}"'
    return [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
            '<rect width="100%" height="100%" fill="white"/>', *lines, "</svg>"]


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--title", required=True)
    flags = parser.parse_args()
    with flags.table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    flags.out.write_text("\n".join(draw(rows, flags.title)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
