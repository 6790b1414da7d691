// Tokens to expressions, with Jinja's precedence.
#pragma once

#include "text/jinja/expression.h"
#include "text/jinja/options.h"
#include "text/jinja/symbols.h"
#include "text/jinja/token_stream.h"

namespace linnet::jinja {

class ExpressionParser {
 public:
  ExpressionParser(TokenStream& tokens, const Options& options, Symbols& symbols)
      : tokens_(tokens), options_(options), symbols_(symbols) {}

  // with_conditional: whether `a if b else c` may follow; not after `for x in …`.
  [[nodiscard]] ExpressionPtr parse_expression(bool with_conditional = true);
  // One expression, or several with commas between as a tuple.
  [[nodiscard]] ExpressionPtr parse_tuple(bool with_conditional = true);
  // `name(…) | name …` over a subject.
  [[nodiscard]] ExpressionPtr parse_filters(ExpressionPtr subject, bool first_pipe_is_absent);

  // Filters and tests that do not exist are an error at once, except where a condition may keep them from
  // being reached: those between mark_unknown() and forgive_unknown() are errors only when they are
  // evaluated.
  [[nodiscard]] size_t mark_unknown() const { return unknown_.size(); }
  void forgive_unknown(size_t mark) { unknown_.resize(mark); }
  void refuse_unknown(size_t mark) const;

  // One level of brackets or blocks for as long as it lives.
  class Nesting {
   public:
    explicit Nesting(ExpressionParser& parser);
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --parser_.nesting_; }

   private:
    ExpressionParser& parser_;
  };

  // The special variables seen so far: what a loop, macro or block checks for its body.
  struct SpecialNames {
    bool loop = false;
    bool caller = false;
    bool kwargs = false;
    bool varargs = false;
    bool self = false;
    bool super = false;

    void add(const SpecialNames& other) {
      loop |= other.loop;
      caller |= other.caller;
      kwargs |= other.kwargs;
      varargs |= other.varargs;
      self |= other.self;
      super |= other.super;
    }
  };
  SpecialNames seen;

 private:
  struct Unknown {
    int line;
    std::string message;
  };

  [[nodiscard]] ExpressionPtr parse_conditional();
  [[nodiscard]] ExpressionPtr parse_operators(int lowest_level);
  [[nodiscard]] ExpressionPtr parse_compare(ExpressionPtr first);
  [[nodiscard]] ExpressionPtr parse_concatenate(ExpressionPtr first);
  [[nodiscard]] ExpressionPtr parse_unary(bool with_filters);
  [[nodiscard]] ExpressionPtr parse_primary();
  [[nodiscard]] ExpressionPtr parse_name();
  [[nodiscard]] ExpressionPtr parse_list();
  [[nodiscard]] ExpressionPtr parse_dict();
  [[nodiscard]] ExpressionPtr parse_postfix(ExpressionPtr node);
  [[nodiscard]] ExpressionPtr parse_filters_and_tests(ExpressionPtr node);
  [[nodiscard]] ExpressionPtr parse_attribute(ExpressionPtr object);
  [[nodiscard]] ExpressionPtr parse_subscript(ExpressionPtr object);
  [[nodiscard]] ExpressionPtr parse_slice(ExpressionPtr object, ExpressionPtr start);
  [[nodiscard]] ExpressionPtr parse_call(ExpressionPtr function);
  [[nodiscard]] CallArguments parse_arguments();
  [[nodiscard]] ExpressionPtr parse_test(ExpressionPtr subject);
  [[nodiscard]] std::string parse_dotted_name();
  [[nodiscard]] bool at_tuple_end() const;

  // Settles line and height of a new node; children that are null are skipped.
  template <class Node>
  [[nodiscard]] ExpressionPtr finish(std::unique_ptr<Node> node, int line,
                                     std::initializer_list<const Expression*> children);
  [[nodiscard]] static size_t height_of(const Expressions& nodes);
  [[nodiscard]] static size_t height_of(const CallArguments& arguments);
  void check_height(size_t height) const;

  TokenStream& tokens_;
  const Options& options_;
  Symbols& symbols_;
  size_t nesting_ = 0;
  std::vector<Unknown> unknown_;
};

}  // namespace linnet::jinja
