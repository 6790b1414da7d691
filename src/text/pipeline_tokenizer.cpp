#include "text/pipeline_tokenizer.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "text/byte_alphabet.h"

namespace linnet {
namespace {

// Words to the model, tokens to a vector.
class Encoder final : public PieceSink {
 public:
  Encoder(const WordModel& model, WordCache& seen, std::vector<Token>& into, EncodeWork& work)
      : model_(model), seen_(seen), into_(into), work_(work) {}
  void piece(std::string_view text, bool) override {
    seen_.encode(text, into_, work_, [&] { model_.encode(text, into_, work_); });
  }

 private:
  const WordModel& model_;
  WordCache& seen_;
  std::vector<Token>& into_;
  EncodeWork& work_;
};

[[nodiscard]] std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t found = from.empty() ? std::string_view::npos : text.find(from, at);
    result += text.substr(at, found - at);
    if (found == std::string_view::npos) break;
    result += to;
    at = found + from.size();
  }
  return result;
}

[[nodiscard]] std::string word_piece_text(std::string_view text, const PieceFormat& format) {
  const bool marked = text.starts_with(format.marker);
  if (marked) text.remove_prefix(format.marker.size());
  if (marked != format.marks_beginnings) return std::string(text);
  constexpr std::array<std::string_view, 4> kWithoutSpace = {".", "?", "!", ","};
  if (format.cleans_up && std::find(kWithoutSpace.begin(), kWithoutSpace.end(), text) != kWithoutSpace.end())
    return std::string(text);
  return std::string(" ").append(text);
}

}  // namespace

std::vector<Token> PipelineTokenizer::encode(std::string_view text, const EncodeOptions& options,
                                             EncodeWork& work) const {
  std::vector<Token> tokens;
  if (options.add_special) tokens = pipeline_.before;
  const size_t before = tokens.size();
  WordCache seen(text.size());
  for (const AddedTokens::Segment& segment : pipeline_.added.split_raw(text, options.parse_special)) {
    if (segment.token) {
      tokens.push_back(*segment.token);
    } else {
      encode_text(segment.text, segment.text.data() == text.data(), options.parse_special, seen, tokens,
                  work);
    }
  }
  work.scanned += text.size();
  const size_t after = options.add_special ? pipeline_.after.size() : 0;
  const size_t most = pipeline_.truncation.most_tokens.value_or(tokens.size() + after);
  if (options.truncate && tokens.size() + after > most) {
    const size_t kept = most > before + after ? most - before - after : 0;
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(before);
    const auto rest = begin + static_cast<std::ptrdiff_t>(kept);
    if (pipeline_.truncation.from_left) {
      tokens.erase(begin, tokens.end() - static_cast<std::ptrdiff_t>(kept));
    } else {
      tokens.erase(rest, tokens.end());
    }
  }
  if (options.add_special) tokens.insert(tokens.end(), pipeline_.after.begin(), pipeline_.after.end());
  return tokens;
}

void PipelineTokenizer::encode_text(std::string_view text, bool at_start, bool parse_special, WordCache& seen,
                                    std::vector<Token>& into, EncodeWork& work) const {
  Encoder words(*pipeline_.model, seen, into, work);
  std::string normalized;
  if (!pipeline_.normalizer.empty()) {
    normalized = pipeline_.normalizer.apply(text, work);
    text = normalized;
  }
  for (const AddedTokens::Segment& segment : pipeline_.added.split_normalized(text, parse_special)) {
    if (segment.token) {
      into.push_back(*segment.token);
    } else {
      pipeline_.pre_tokenizer.run(segment.text, at_start && segment.text.data() == text.data(), words, work);
    }
  }
}

std::string PipelineTokenizer::piece(Token token) const {
  if (!vocabulary().contains(token)) {
    fail(ErrorKind::usage, "token ", token, " is not in the vocabulary of ", size(), " tokens");
  }
  const std::string_view text = vocabulary().text(token);
  const TokenKind kind = vocabulary().kind(token);
  if (kind == TokenKind::byte) {
    if (const auto value = byte_token_value(text)) return std::string(1, static_cast<char>(*value));
  }
  const bool is_text = kind == TokenKind::normal || kind == TokenKind::unused;
  const PieceFormat& format = pipeline_.pieces;
  if (is_text) {
    switch (format.style) {
      case PieceStyle::byte_level:
        if (auto bytes = from_byte_alphabet(text)) return *std::move(bytes);
        break;
      case PieceStyle::metaspace:
        return replaced(text, format.marker, " ");
      case PieceStyle::word_piece:
        return word_piece_text(text, format);
      case PieceStyle::plain:
        break;
    }
  } else if (kind == TokenKind::user_defined && format.style == PieceStyle::word_piece) {
    return std::string(" ").append(text);
  }
  return std::string(text);
}

}  // namespace linnet
