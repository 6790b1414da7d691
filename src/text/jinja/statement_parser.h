// Statements from tokens: what is between {% and %}, and the text around it.
#pragma once

#include <initializer_list>

#include "text/jinja/expression_parser.h"
#include "text/jinja/parser.h"

namespace linnet::jinja {

class StatementParser {
 public:
  StatementParser(std::string_view source, const Options& options)
      : tokens_(tokenize(source)), expressions_(tokens_, options, symbols_) {}

  [[nodiscard]] ParsedTemplate parse();

 private:
  using Names = std::initializer_list<std::string_view>;
  using Method = StatementPtr (StatementParser::*)();
  struct Keyword {
    std::string_view name;
    Method parse;
  };

  // Statements up to a tag of one of the names, whose name is then the current token; to the end of the
  // template if there are no names.
  [[nodiscard]] Block parse_block_until(Names ends);
  static void append(Block& block, StatementPtr statement, int line);
  [[nodiscard]] static std::string list(Names names);
  // The body of a statement whose tag has just been read up to its end; leaves the end tag's name current.
  [[nodiscard]] Block parse_body(Names ends);
  // A body with variables of its own, up to and over its end tag.
  [[nodiscard]] Block parse_scoped_body(std::string_view end);
  // A scoped body that is called from elsewhere, so that `break` cannot reach the loop around it.
  [[nodiscard]] Block parse_detached_body(std::string_view end);

  // Each begins after the name of its tag.
  [[nodiscard]] StatementPtr parse_statement(Names ends);
  [[nodiscard]] StatementPtr parse_if();
  [[nodiscard]] StatementPtr parse_for();
  [[nodiscard]] StatementPtr parse_control();
  [[nodiscard]] StatementPtr parse_filter_block();
  [[nodiscard]] StatementPtr parse_with();
  [[nodiscard]] StatementPtr parse_generation();
  [[nodiscard]] StatementPtr parse_autoescape();
  [[nodiscard]] StatementPtr parse_print();

  // In statement_parser_names.cpp.
  [[nodiscard]] StatementPtr parse_set();
  [[nodiscard]] StatementPtr parse_macro();
  [[nodiscard]] StatementPtr parse_call();
  void parse_parameters(MacroDefinition& definition);
  // In the scope of the macro, which ends here. The parameters must stay where they are.
  void parse_macro_body(MacroDefinition& definition, std::string_view end);
  // name, namespace.attribute, or several with commas between; parentheses may be around.
  [[nodiscard]] Target parse_target(bool with_namespace);
  [[nodiscard]] Target parse_one_target(bool with_namespace);
  [[nodiscard]] Target parse_plain_name();
  // The names of a target live as long as its statement, and so until the symbols are resolved.
  void store(const Target& target);
  void declare_parameters(const Target& target);

  // In statement_parser_blocks.cpp.
  [[nodiscard]] StatementPtr parse_named_block();
  void require_empty(const Block& body) const;
  [[nodiscard]] StatementPtr parse_include();
  [[nodiscard]] StatementPtr parse_import();
  [[nodiscard]] StatementPtr parse_from();
  [[nodiscard]] StatementPtr parse_extends();
  [[nodiscard]] std::unique_ptr<LoadTemplate> parse_load();
  [[nodiscard]] bool skip_context();
  void store_names(const LoadTemplate& node);

  TokenStream tokens_;
  Symbols symbols_;
  ExpressionParser expressions_;
  NamedBlocks blocks_;
  int loops_ = 0;            // that `break` can reach
  int enclosing_loops_ = 0;  // all, also from inside a macro
};

}  // namespace linnet::jinja
