#!/usr/bin/env python3
"""Writes src/text/jinja/case_tables.cpp from Python's own character database, so that upper() and islower() agree with it:

    make_jinja_tables.py > src/text/jinja/case_tables.cpp

Run it with the Python of make_unicode_tables.py: general categories and lower case come from that one's tables.
"""
import sys
import textwrap
import unicodedata

ALL = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]


def strided(points):
    """Sorted code points as (first, last, stride) with stride 1 or 2: cased letters alternate."""
    out = []
    for point in points:
        if out:
            first, last, stride = out[-1]
            if point - last == stride or (first == last and point - last == 2):
                out[-1] = (first, point, point - last)
                continue
        out.append((point, point, 1))
    return out


def print_span(kind, name, rows):
    print(f"constexpr {kind} {name}Rows[] = {{")
    print(textwrap.fill(", ".join(row.replace(" ", "") for row in rows), 110, initial_indent="    ", subsequent_indent="    "))
    print("};")
    return f"const std::span<const {kind}> {name} = {name}Rows;"


def print_set(name, test, category):
    points = [c for c in ALL if test(chr(c)) and not unicodedata.category(chr(c)).startswith(category)]
    return print_span("CharacterRange", name, ["{%#x, %#x, %d}" % r for r in strided(points)])


def upper_ranges():
    simple = [(c, ord(chr(c).upper()) - c) for c in ALL if len(chr(c).upper()) == 1 and chr(c).upper() != chr(c)]
    runs = [(*run, delta) for delta in {d for _, d in simple} for run in strided([c for c, d in simple if d == delta])]
    return ["{%#x, %#x, %d, %d}" % run for run in sorted(runs)]


def expansions(convert, applies):
    return ["{%#x, {%s}}" % (c, ", ".join("%#x" % ord(to) for to in convert(chr(c)))) for c in ALL if applies(chr(c))]


def main():
    print("// Made by tools/make_jinja_tables.py from Unicode "
          f"{unicodedata.unidata_version}; not to be edited.")
    print('#include "text/jinja/case_tables.h"\n\nnamespace linnet::jinja {\nnamespace {\n\n// clang-format off')
    spans = [
        print_set("kOtherDigits", str.isdigit, "Nd"),
        print_set("kOtherNumerics", str.isnumeric, "N"),
        print_set("kOtherLowercase", str.islower, "Ll"),
        print_set("kOtherUppercase", str.isupper, "Lu"),
        print_span("CaseRange", "kUpperRanges", upper_ranges()),
        print_span("CaseExpansion", "kUpperExpansions", expansions(str.upper, lambda c: len(c.upper()) > 1)),
        print_span("CaseExpansion", "kTitleExceptions", expansions(str.title, lambda c: c.title() != c.upper())),
    ]
    print("// clang-format on\n\n}  // namespace\n")
    print("\n".join(spans))
    print("\n}  // namespace linnet::jinja")


if __name__ == "__main__":
    if sys.version_info[:2] != (3, 11):
        sys.exit("make_jinja_tables.py: run it with Python 3.11: the tables belong to one version of Unicode")
    main()
