// What Python's character classes and case mappings have beyond text/unicode.h, as sorted ranges; unicode.h
// asks them. Made by tools/make_jinja_tables.py.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace linnet::jinja {

// first, first + stride, …, last. Stride 2 because upper and lower case alternate in many scripts.
struct CharacterRange {
  uint32_t first;
  uint32_t last;
  uint32_t stride;
};

// Every character of the range maps to itself plus delta.
struct CaseRange {
  uint32_t first;
  uint32_t last;
  uint32_t stride;
  int32_t delta;
};

// One character that becomes up to three (ß → SS); unused places are 0.
struct CaseExpansion {
  uint32_t from;
  std::array<uint32_t, 3> to;
};

extern const std::span<const CharacterRange> kOtherDigits;     // str.isdigit() but not of category Nd
extern const std::span<const CharacterRange> kOtherNumerics;   // str.isnumeric() but not of category N
extern const std::span<const CharacterRange> kOtherLowercase;  // str.islower() but not of category Ll
extern const std::span<const CharacterRange> kOtherUppercase;  // str.isupper() but not of category Lu
extern const std::span<const CaseRange> kUpperRanges;
extern const std::span<const CaseExpansion> kUpperExpansions;
extern const std::span<const CaseExpansion> kTitleExceptions;  // whose title case is not the upper case

}  // namespace linnet::jinja
