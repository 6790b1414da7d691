#!/usr/bin/env python3
"""Writes src/text/unicode_tables.h from Python's unicodedata: make_unicode_tables.py > src/text/unicode_tables.h

Run it with Python 3.11 (Unicode 14); another version changes tokens, so it is a decision, not an update. Everything is
stored as differences, which keeps the file small; src/text/unicode.cpp and normalization.cpp unfold it when compiled.
"""
import sys
import unicodedata

CATEGORIES = ["Cn", "Cc", "Cf", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl", "No", "Pc", "Pd", "Pe",
              "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs"]
LIMIT = 0x110000
SURROGATES = range(0xD800, 0xE000)


def category_runs():
    """length << 5 | category, from code point 0 on."""
    runs, begin = [], 0
    for code in range(1, LIMIT + 1):
        now = unicodedata.category(chr(begin))
        if code == LIMIT or unicodedata.category(chr(code)) != now:
            runs.append((code - begin) << 5 | CATEGORIES.index(now))
            begin = code
    return runs


def combining_runs():
    """Pairs: code points since the last run's end, then length << 8 | combining class."""
    runs, end, code = [], 0, 0
    while code < LIMIT:
        value = unicodedata.combining(chr(code))
        if value == 0:
            code += 1
            continue
        begin = code
        while unicodedata.combining(chr(code)) == value:
            code += 1
        runs += [begin - end, (code - begin) << 8 | value]
        end = code
    return runs


def decompositions():
    """Entries: (difference to the last code point) << 6 | compatibility << 5 | length, then the mapping. One level deep."""
    rows, last = [], 0
    for code in range(LIMIT):
        parts = unicodedata.decomposition(chr(code)).split()
        if not parts:
            continue
        compatibility = parts[0].startswith("<")
        mapping = [int(part, 16) for part in parts[1 if compatibility else 0:]]
        rows += [(code - last) << 6 | compatibility << 5 | len(mapping), *mapping]
        last = code
    return rows


def compositions():
    """first, second, composed: the pairs that NFC joins, in order. unicodedata knows the exclusions."""
    rows = []
    for code in range(LIMIT):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            pair = [int(part, 16) for part in parts]
            if unicodedata.normalize("NFC", "".join(map(chr, pair))) == chr(code):
                rows.append((*pair, code))
    return [number for row in sorted(rows) for number in row]


def lowercase_runs():
    """Triples: first, count << 2 | stride, code point of the first's lower case. İ, the only one with two, is left out."""
    lower = {c: ord(chr(c).lower()) for c in range(LIMIT)
             if c not in SURROGATES and chr(c).lower() != chr(c) and len(chr(c).lower()) == 1}
    rows, done = [], set()
    for code in sorted(lower):
        if code in done:
            continue
        best = (1, 1)
        for stride in (1, 2):
            count = 1
            while (code + count * stride in lower and code + count * stride not in done
                   and lower[code + count * stride] - lower[code] == count * stride
                   and (stride == 1 or code + count * stride - 1 not in lower)):
                count += 1
            best = max(best, (count, stride))
        count, stride = best
        done.update(code + i * stride for i in range(count))
        rows += [code, count << 2 | stride, lower[code]]
    return rows


def print_table(name, comment, numbers, kind):
    print(f"\n// {comment}\ninline constexpr {kind} {name}[] = {{")
    line = "   "
    for number in numbers:
        text = f" {number},"
        if len(line) + len(text) > 110:
            print(line)
            line = "   "
        line += text
    print(line + "\n};")


def main():
    print("// Made by tools/make_unicode_tables.py from Unicode " + unicodedata.unidata_version + "; not to be edited.\n"
          "#pragma once\n\n#include <cstdint>\n\n// clang-format off\nnamespace linnet::unicode_tables {")
    print_table("kCategoryRuns", "length << 5 | category (numbered as enum Category), from code point 0 on", category_runs(), "uint32_t")
    print_table("kCombiningRuns", "pairs: code points since the last run's end, then length << 8 | combining class", combining_runs(),
                "uint32_t")
    print_table("kDecompositions", "difference to the last code point << 6 | compatibility << 5 | length, then the mapping",
                decompositions(), "uint32_t")
    print_table("kCompositions", "first, second, composed; sorted", compositions(), "uint32_t")
    print_table("kLowercaseRuns", "first, count << 2 | stride, lower case of the first; sorted", lowercase_runs(), "uint32_t")
    print("\n}  // namespace linnet::unicode_tables")


if __name__ == "__main__":
    if sys.version_info[:2] != (3, 11):
        sys.exit("make_unicode_tables.py: run it with Python 3.11: the tables belong to one version of Unicode")
    main()
