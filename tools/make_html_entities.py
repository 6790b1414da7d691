#!/usr/bin/env python3
"""Writes src/text/jinja/html_entities.h: the named character references of HTML 5, from Python's html.entities.

    make_html_entities.py > src/text/jinja/html_entities.h
"""
import html.entities

WIDTH = 110


def literal(text):
    """A C++ literal of UTF-8 bytes; split after an escape, so that no digit that follows is taken for part of it."""
    out, escaped = "", False
    for byte in text.encode():
        plain = 0x20 <= byte < 0x7F and byte not in b'"\\'
        if plain and escaped and chr(byte) in "0123456789abcdefABCDEF":
            out += '" "'
        out += chr(byte) if plain else f"\\x{byte:02X}"
        escaped = not plain
    return f'"{out}"'


def main():
    print("""// Made by tools/make_html_entities.py; not to be edited. The named character references of HTML 5 with what
// they stand for, sorted by name. Those without a semicolon also begin longer words.
#pragma once

#include <string_view>

namespace linnet::jinja {

struct HtmlEntity {
  std::string_view name;  // with its semicolon
  std::string_view text;  // UTF-8
};

// clang-format off
inline constexpr HtmlEntity kHtmlEntities[] = {""")
    line = ""
    for name, text in sorted(html.entities.html5.items()):
        entry = f'{{"{name}", {literal(text)}}},'
        if line and len(line) + len(entry) > WIDTH - 4:
            print("   " + line)
            line = ""
        line += " " + entry
    print("   " + line)
    print("""};
// clang-format on

}  // namespace linnet::jinja""")


if __name__ == "__main__":
    main()
