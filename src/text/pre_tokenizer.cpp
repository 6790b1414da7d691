#include "text/pre_tokenizer.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/script_classes.h"

namespace linnet {

// Feeds the step `index`, whose pieces feed the next one; after the last they are words.
class PreTokenizer::Chain final : public PieceSink {
 public:
  Chain(const PreTokenizer& pre_tokenizer, size_t index, PieceSink& words, EncodeWork& work)
      : pre_tokenizer_(pre_tokenizer), index_(index), words_(words), work_(work) {}

  void piece(std::string_view text, bool at_start) override {
    if (index_ + 1 == pre_tokenizer_.steps_.size()) {
      pre_tokenizer_.steps_[index_]->apply(text, at_start, words_, work_);
    } else {
      Chain next(pre_tokenizer_, index_ + 1, words_, work_);
      pre_tokenizer_.steps_[index_]->apply(text, at_start, next, work_);
    }
  }

 private:
  const PreTokenizer& pre_tokenizer_;
  size_t index_;
  PieceSink& words_;
  EncodeWork& work_;
};

void PreTokenizer::run(std::string_view text, bool at_start, PieceSink& words, EncodeWork& work) const {
  if (text.empty()) return;
  if (steps_.empty()) {
    words.piece(text, at_start);
  } else {
    Chain(*this, 0, words, work).piece(text, at_start);
  }
}

namespace {

class Split final : public PreTokenizerStep {
 public:
  Split(std::unique_ptr<Matcher> matcher, SplitBehavior behavior, bool invert)
      : matcher_(std::move(matcher)), behavior_(behavior), invert_(invert) {}

  void apply(std::string_view text, bool at_start, PieceSink& into, EncodeWork& work) const override {
    // What waits for its neighbour: with merged_with_next a delimiter, else the piece that may still grow.
    TextRange held{0, 0};
    bool held_is_delimiter = false;
    const auto emit = [&](TextRange range) {
      if (range.begin < range.end)
        into.piece(text.substr(range.begin, range.end - range.begin), at_start && range.begin == 0);
    };
    const auto hold = [&](TextRange range, bool delimiter, bool joins) {
      if (joins && held.begin < held.end) {
        held.end = range.end;
      } else {
        emit(held);
        held = range;
      }
      held_is_delimiter = delimiter;
    };
    const auto part = [&](TextRange range, bool delimiter) {
      switch (behavior_) {
        case SplitBehavior::isolated:
          emit(range);
          break;
        case SplitBehavior::removed:
          if (!delimiter) emit(range);
          break;
        case SplitBehavior::contiguous:
          hold(range, delimiter, delimiter == held_is_delimiter);
          break;
        case SplitBehavior::merged_with_previous:
          hold(range, delimiter, delimiter && !held_is_delimiter);
          break;
        case SplitBehavior::merged_with_next:
          hold(range, delimiter, !delimiter && held_is_delimiter);
          break;
      }
    };
    for_each_match(
        *matcher_, text, work, [&](TextRange range) { part(range, !invert_); },
        [&](TextRange range) { part(range, invert_); });
    emit(held);
  }

 private:
  std::unique_ptr<Matcher> matcher_;
  SplitBehavior behavior_;
  bool invert_;
};

class SplitAsBert final : public PreTokenizerStep {
 public:
  void apply(std::string_view text, bool at_start, PieceSink& into, EncodeWork& work) const override {
    size_t begin = 0;
    size_t at = 0;
    const auto emit = [&](size_t from, size_t to) {
      if (from < to) into.piece(text.substr(from, to - from), at_start && from == 0);
    };
    while (at < text.size()) {
      const CodePoint code = decode(text.substr(at));
      const bool space = is_space(code.value);
      const size_t end = at + code.bytes;
      if (space || is_any_punctuation(code.value)) {
        emit(begin, at);
        if (!space) emit(at, end);
        begin = end;
      }
      at = end;
    }
    emit(begin, at);
    work.scanned += text.size();
  }
};

class PrefixSpace final : public PreTokenizerStep {
 public:
  void apply(std::string_view text, bool at_start, PieceSink& into, EncodeWork& work) const override {
    if (text.starts_with(' ')) {
      into.piece(text, at_start);
      return;
    }
    work.scanned += text.size();
    into.piece(std::string(" ").append(text), at_start);
  }
};

class Metaspace final : public PreTokenizerStep {
 public:
  Metaspace(std::string replacement, PrependScheme scheme, bool split)
      : replacement_(std::move(replacement)), scheme_(scheme), split_(split) {}

  void apply(std::string_view text, bool at_start, PieceSink& into, EncodeWork& work) const override {
    const std::string replaced = replace(text, at_start);
    work.scanned += replaced.size();
    if (!split_) {
      into.piece(replaced, at_start);
      return;
    }
    for (size_t begin = 0; begin < replaced.size();) {
      const size_t next = replaced.find(
          replacement_, begin == 0 && !replaced.starts_with(replacement_) ? 0 : begin + replacement_.size());
      const size_t end = std::min(next, replaced.size());
      into.piece(std::string_view(replaced).substr(begin, end - begin), at_start && begin == 0);
      begin = end;
    }
  }

 private:
  [[nodiscard]] std::string replace(std::string_view text, bool at_start) const {
    const bool begins_so = text.starts_with(' ') || text.starts_with(replacement_);
    const bool prepends =
        !begins_so && (scheme_ == PrependScheme::always || (scheme_ == PrependScheme::first && at_start));
    std::string result(prepends ? replacement_ : "");
    result.reserve(text.size() + text.size() / 2);
    for (const char byte : text) {
      if (byte == ' ') {
        result += replacement_;
      } else {
        result += byte;
      }
    }
    return result;
  }

  std::string replacement_;
  PrependScheme scheme_;
  bool split_;
};

class EnterByteAlphabet final : public PreTokenizerStep {
 public:
  void apply(std::string_view text, bool at_start, PieceSink& into, EncodeWork& work) const override {
    work.scanned += text.size();
    into.piece(to_byte_alphabet(text), at_start);
  }
};

class LeaveByteAlphabet final : public PreTokenizerStep {
 public:
  void apply(std::string_view text, bool at_start, PieceSink& into, EncodeWork& work) const override {
    work.scanned += text.size();
    // Steps in between only cut; what they were given was in the alphabet.
    if (const auto bytes = from_byte_alphabet(text)) into.piece(*bytes, at_start);
  }
};

}  // namespace

std::unique_ptr<PreTokenizerStep> split_at(std::unique_ptr<Matcher> matcher, SplitBehavior behavior,
                                           bool invert) {
  return std::make_unique<Split>(std::move(matcher), behavior, invert);
}

std::unique_ptr<PreTokenizerStep> split_as_bert() {
  return std::make_unique<SplitAsBert>();
}
std::unique_ptr<PreTokenizerStep> prefix_space() {
  return std::make_unique<PrefixSpace>();
}

std::unique_ptr<PreTokenizerStep> metaspace(std::string replacement, PrependScheme scheme, bool split) {
  return std::make_unique<Metaspace>(std::move(replacement), scheme, split);
}

std::unique_ptr<PreTokenizerStep> enter_byte_alphabet() {
  return std::make_unique<EnterByteAlphabet>();
}
std::unique_ptr<PreTokenizerStep> leave_byte_alphabet() {
  return std::make_unique<LeaveByteAlphabet>();
}

}  // namespace linnet
