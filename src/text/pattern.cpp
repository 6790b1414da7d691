#include "text/pattern.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/quoted.h"
#include "base/utf8.h"
#include "files/metadata.h"

namespace linnet {
namespace {

constexpr char32_t kEnd = UINT32_MAX;  // no character: the end of the text

}  // namespace

// Appends code that ends by going to what is appended next.
class Pattern::Compiler {
 public:
  explicit Compiler(Pattern& pattern) : pattern_(pattern), program_(pattern.program_) {}

  void compile(const PatternNode& node);
  uint32_t append(Instruction instruction);

 private:
  void compile_choice(const PatternNode& node);
  void compile_repeat(const PatternNode& node);
  void compile_possessive(const PatternNode& node);
  void append_set(Instruction::Kind kind, const CharacterSet& set);
  [[nodiscard]] uint32_t here() const { return static_cast<uint32_t>(program_.size()); }
  // A jump is a fork whose two ways are one.
  void jump(uint32_t from, uint32_t to) { program_[from].first = program_[from].second = to; }
  [[noreturn]] void refuse() const {
    fail(ErrorKind::model, "the pattern ", quoted_name(pattern_.source_), " is too large");
  }

  Pattern& pattern_;
  std::vector<Instruction>& program_;
  std::unordered_map<const CharacterSet*, uint32_t> sets_;  // of the parsed pattern → of the compiled one
  size_t compiled_ = 0;  // nodes; a repetition of nothing adds no instructions, but takes time
};

Pattern::Pattern(std::string_view source) : source_(source) {
  const PatternNode parsed = parse_pattern(source);
  Compiler compiler(*this);
  compiler.compile(parsed);
  compiler.append({Instruction::Kind::match});
  find_first_characters();
}

uint32_t Pattern::Compiler::append(Instruction instruction) {
  if (program_.size() == kMostInstructions) refuse();
  const uint32_t at = here();
  instruction.first = at + 1;
  program_.push_back(instruction);
  return at;
}

void Pattern::Compiler::append_set(Instruction::Kind kind, const CharacterSet& set) {
  const auto [found, is_new] = sets_.emplace(&set, static_cast<uint32_t>(pattern_.sets_.size()));
  if (is_new) pattern_.sets_.push_back(set);
  append({kind, found->second});
}

void Pattern::Compiler::compile(const PatternNode& node) {
  using Kind = PatternNode::Kind;
  if (++compiled_ > 4 * kMostInstructions) refuse();
  switch (node.kind) {
    case Kind::set:
      append_set(Instruction::Kind::set, node.set);
      break;
    case Kind::next_is:
      append_set(Instruction::Kind::next_is, node.set);
      break;
    case Kind::next_is_not:
      append_set(Instruction::Kind::next_is_not, node.set);
      break;
    case Kind::line_begin:
      append({Instruction::Kind::line_begin});
      break;
    case Kind::line_end:
      append({Instruction::Kind::line_end});
      break;
    case Kind::sequence:
      for (const PatternNode& child : node.children) compile(child);
      break;
    case Kind::choice:
      compile_choice(node);
      break;
    case Kind::repeat:
      if (node.possessive) {
        compile_possessive(node);
      } else {
        compile_repeat(node);
      }
      break;
  }
}

void Pattern::Compiler::compile_choice(const PatternNode& node) {
  std::vector<uint32_t> jumps;
  for (size_t i = 0; i + 1 < node.children.size(); ++i) {
    const uint32_t fork = append({Instruction::Kind::fork});
    compile(node.children[i]);
    jumps.push_back(append({Instruction::Kind::fork}));
    program_[fork].second = here();
  }
  compile(node.children.back());
  for (const uint32_t from : jumps) jump(from, here());
}

void Pattern::Compiler::compile_repeat(const PatternNode& node) {
  const PatternNode& child = node.children.front();
  for (uint32_t i = 0; i < node.least; ++i) compile(child);
  // The way out of a fork is its second choice, or its first if lazy.
  const auto set_exit = [&](uint32_t fork, uint32_t exit) {
    program_[fork].second = node.lazy ? fork + 1 : exit;
    program_[fork].first = node.lazy ? exit : fork + 1;
  };
  if (node.most == PatternNode::kUnlimited) {
    const uint32_t fork = append({Instruction::Kind::fork});
    compile(child);
    jump(append({Instruction::Kind::fork}), fork);
    set_exit(fork, here());
    return;
  }
  std::vector<uint32_t> forks;
  for (uint32_t i = node.least; i < node.most; ++i) {
    forks.push_back(append({Instruction::Kind::fork}));
    compile(child);
  }
  for (const uint32_t fork : forks) set_exit(fork, here());
}

// Taking as many as there are, without giving back, is to stop only where the next character is none of them.
void Pattern::Compiler::compile_possessive(const PatternNode& node) {
  const CharacterSet& set = node.children.front().set;
  if (node.most == PatternNode::kUnlimited) {
    compile_repeat(node);
    append_set(Instruction::Kind::next_is_not, set);
    return;
  }
  // X?+, the only other one: X, or nothing before what is not X.
  const uint32_t fork = append({Instruction::Kind::fork});
  append_set(Instruction::Kind::set, set);
  const uint32_t after = append({Instruction::Kind::fork});
  program_[fork].second = here();
  append_set(Instruction::Kind::next_is_not, set);
  jump(after, here());
}

void Pattern::find_first_characters() {
  std::vector<bool> seen(program_.size());
  std::vector<uint32_t> pending = {0};
  while (!pending.empty()) {
    const uint32_t at = pending.back();
    pending.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const Instruction& instruction = program_[at];
    switch (instruction.kind) {
      case Instruction::Kind::set:
        for (char32_t code = 0; code < 128; ++code)
          if (sets_[instruction.set].contains(code)) may_begin_.set(code);
        break;
      case Instruction::Kind::match:
        may_begin_.set();  // the empty text matches
        break;
      case Instruction::Kind::fork:
        pending.push_back(instruction.second);
        [[fallthrough]];
      default:
        pending.push_back(instruction.first);
    }
  }
}

// A position with the characters around it.
struct Pattern::Place {
  size_t at;
  char32_t next;  // kEnd at the end
  uint32_t bytes;
  bool begins_line;
};

// Its memory lies on the stack: a search for each word of a text must not allocate.
class Pattern::Search {
 public:
  Search(const Pattern& pattern, std::string_view text, uint64_t& steps, uint64_t most_steps)
      : pattern_(pattern), text_(text), steps_(steps), most_steps_(most_steps) {
    std::fill_n(seen_, pattern.program_.size(), 0);
    std::fill_n(known_, pattern.sets_.size(), 0);
  }

  [[nodiscard]] std::optional<TextRange> run(size_t from) {
    std::optional<TextRange> best;
    Place place = place_at(from);
    for (;;) {
      if (steps_ > most_steps_) refuse();
      if (!best && now_->count == 0) {
        if (!skip_to_candidate(place)) return std::nullopt;
        ++generation_;  // what was entered without success at the place before may be entered here
      }
      if (!best) enter(0, place.at, place, *now_);
      ++generation_;
      const Place after = place.next == kEnd ? place : place_at(place.at + place.bytes);
      next_->count = 0;
      for (const Thread *thread = now_->threads, *end = thread + now_->count; thread != end; ++thread) {
        const Instruction& instruction = program_[thread->at];
        if (instruction.kind == Instruction::Kind::match) {
          best = TextRange{thread->begin, place.at};
          break;  // what comes later is less preferred
        }
        enter(instruction.first, thread->begin, after, *next_);
      }
      std::swap(now_, next_);
      if (place.next == kEnd || (best && now_->count == 0)) return best;
      place = after;
    }
  }

 private:
  struct Threads {
    size_t count = 0;
    Thread threads[kMostInstructions];  // each instruction is entered once per place
  };

  [[nodiscard]] Place place_at(size_t at) const {
    // Oniguruma: no line begins after the line break that ends a text.
    if (at >= text_.size()) return {at, kEnd, 0, at == 0};
    const bool begins_line = at == 0 || text_[at - 1] == '\n';
    const CodePoint code = decode(text_.substr(at));
    return {at, code.value, code.bytes, begins_line};
  }

  // Goes to the next character that a match may begin with; false if there is none.
  [[nodiscard]] bool skip_to_candidate(Place& place) {
    while (place.next < 128 && !pattern_.may_begin_[place.next]) {
      ++steps_;
      place = place_at(place.at + 1);
    }
    return place.next != kEnd || pattern_.may_begin_.all();
  }

  [[noreturn]] void refuse() const {
    fail(ErrorKind::model, "the pattern ", quoted_name(pattern_.source_),
         " takes too many steps on a text of ", text_.size(), " bytes");
  }

  // Adds the thread, followed to where it takes the next character or has matched; each instruction belongs
  // to the most preferred thread that enters it.
  void enter(uint32_t begin_at, size_t begin, const Place& place, Threads& into) {
    size_t waiting = 0;
    pending_[waiting++] = begin_at;
    while (waiting > 0) {
      const uint32_t at = pending_[--waiting];
      if (seen_[at] == generation_) continue;
      seen_[at] = generation_;
      ++steps_;
      const Instruction& instruction = program_[at];
      switch (instruction.kind) {
        case Instruction::Kind::set:
          if (next_in(instruction, place)) into.threads[into.count++] = {at, begin};
          break;
        case Instruction::Kind::match:
          into.threads[into.count++] = {at, begin};
          break;
        case Instruction::Kind::fork:
          pending_[waiting++] = instruction.second;
          pending_[waiting++] = instruction.first;
          break;
        default:
          if (holds(instruction, place)) pending_[waiting++] = instruction.first;
      }
    }
  }

  [[nodiscard]] bool holds(const Instruction& instruction, const Place& place) {
    switch (instruction.kind) {
      case Instruction::Kind::line_begin:
        return place.begins_line;
      case Instruction::Kind::line_end:
        return place.next == kEnd || place.next == '\n';
      default:
        return next_in(instruction, place) == (instruction.kind == Instruction::Kind::next_is);
    }
  }

  // A repetition asks the same set many times at one place.
  [[nodiscard]] bool next_in(const Instruction& instruction, const Place& place) {
    if (place.next < 128) return sets_[instruction.set].contains(place.next);
    if (place.next == kEnd) return false;
    uint64_t& known = known_[instruction.set];
    if (known >> 1 != place.at + 1)
      known = (place.at + 1) << 1 | (sets_[instruction.set].contains(place.next) ? 1 : 0);
    return (known & 1) != 0;
  }

  const Pattern& pattern_;
  const Instruction* const program_ = pattern_.program_.data();
  const CharacterSet* const sets_ = pattern_.sets_.data();
  std::string_view text_;
  uint64_t& steps_;
  uint64_t most_steps_;
  Threads first_, second_;
  Threads* now_ = &first_;
  Threads* next_ = &second_;
  uint32_t pending_[2 * kMostInstructions + 1];  // an instruction leads to two others at most
  uint64_t seen_[kMostInstructions];             // generation that entered each instruction last
  uint64_t known_[kMostInstructions];  // by set: (place + 1) << 1 | whether its next character is in it
  uint64_t generation_ = 1;
};

std::optional<TextRange> Pattern::find(std::string_view text, size_t from, uint64_t& steps,
                                       uint64_t most_steps) const {
  // Without the memory of a search, which most words of a text need not have.
  const size_t begin = from;
  while (from < text.size() && static_cast<signed char>(text[from]) >= 0 &&
         !may_begin_[static_cast<size_t>(text[from])])
    ++from;
  steps += from - begin;
  if (from == text.size() && !may_begin_.all()) return std::nullopt;
  return Search(*this, text, steps, most_steps).run(from);
}

}  // namespace linnet
