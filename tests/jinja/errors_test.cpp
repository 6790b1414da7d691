// Errors carry line and reason.
#include "render.h"

namespace linnet::jinja {
namespace {

using test::error_of;

TEST(TemplateErrors, NameTheLineOfTheExpression) {
  EXPECT_EQ(error_of("a\n\n{{ nope.x }}"), "template line 3: 'nope' is undefined");
  EXPECT_EQ(error_of("{% set x = 1 %}\n{% if x %}\n  {{ x +\n 'a' }}\n{% endif %}"),
            "template line 3: unsupported operand type(s) for +: 'int' and 'str'");
  EXPECT_EQ(error_of("{% macro f(a) %}\n{{ a.b.c }}\n{% endmacro %}\n\n{{ f({}) }}"),
            "template line 2: 'dict object' has no attribute 'b'");
  EXPECT_EQ(error_of("{#\n#}{% raw %}\n{% endraw %}\n{{ 1 / 0 }}"), "template line 4: division by zero");
  EXPECT_EQ(error_of("x\n{% for i in none %}\n{% endfor %}"),
            "template line 2: 'NoneType' object is not iterable");
}

TEST(TemplateErrors, SayWhatUndefinedValuesAre) {
  EXPECT_EQ(error_of("{{ x.y.z }}", R"({"x": {}})"), "template line 1: 'dict object' has no attribute 'y'");
  EXPECT_EQ(error_of("{{ x[3].z }}", R"({"x": [1]})"), "template line 1: list object has no element 3");
  EXPECT_EQ(error_of("{{ none.a.b }}"), "template line 1: 'None' has no attribute 'a'");
  EXPECT_EQ(error_of("{{ ([]|first).a }}"), "template line 1: No first item, sequence was empty.");
  EXPECT_EQ(error_of("{% macro f(a) %}{{ a() }}{% endmacro %}{{ f() }}"),
            "template line 1: parameter 'a' was not provided");
  EXPECT_EQ(error_of("{{ (1 if false).a }}"),
            "template line 1: the inline if-expression on line 1 evaluated to false and no else section was "
            "defined.");
}

TEST(TemplateErrors, RaiseExceptionSaysItsMessage) {
  EXPECT_EQ(error_of("\n{{ raise_exception('roles must alternate') }}"),
            "template line 2: roles must alternate");
}

TEST(TemplateErrors, ChangingAListIsRefusedAsInTheSandbox) {
  EXPECT_EQ(error_of("{% set l = [] %}{{ l.append(1) }}"),
            "template line 1: access to attribute 'append' of 'list' object is unsafe.");
  EXPECT_EQ(error_of("{{ ''.__class__.__mro__ }}"),
            "template line 1: access to attribute '__class__' of 'str' object is unsafe.");
}

TEST(TemplateErrors, OfSyntaxAreFoundWithoutRendering) {
  const auto parse_error = [](std::string_view source) -> std::string {
    try {
      (void)Template::parse(source);
      return "";
    } catch (const TemplateError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      return error.what();
    }
  };
  EXPECT_EQ(parse_error("\n{% if x %}\n"),
            "template line 2: Unexpected end of template. Jinja was looking for the following tags: 'elif' "
            "or 'else' or "
            "'endif'");
  EXPECT_EQ(parse_error("{% nope %}"), "template line 1: Encountered unknown tag 'nope'.");
  EXPECT_EQ(parse_error("{% for a in b %}\n{% endif %}"),
            "template line 2: Encountered unknown tag 'endif'. Jinja was looking for the following tags: "
            "'endfor' or "
            "'else'.");
  EXPECT_EQ(parse_error("{{ 1 2 }}"), "template line 1: expected end of print statement, got an integer");
  EXPECT_EQ(parse_error("{{ x|nope }}"), "template line 1: No filter named 'nope'.");
  EXPECT_EQ(parse_error("{{ x is nope }}"), "template line 1: No test named 'nope'.");
  EXPECT_EQ(parse_error("{{ 'abc }}"), "template line 1: unexpected char ''': the string does not end");
  EXPECT_EQ(parse_error("a\n{# b"), "template line 2: Missing end of comment tag");
  EXPECT_EQ(parse_error("{{ (1] }}"), "template line 1: unexpected ']', expected ')'");
  EXPECT_EQ(parse_error("{% block a %}{% endblock %}\n{% block a %}{% endblock %}"),
            "template line 2: block 'a' defined twice");
  EXPECT_EQ(parse_error("{% for i in [] %}\n{% extends 'a' %}{% endfor %}"),
            "template line 2: cannot use extend from a non top-level scope");
  EXPECT_EQ(parse_error("\xFF"), "template line 1: the template is not UTF-8");
  EXPECT_EQ(parse_error("{% break %}"), "template line 1: 'break' outside loop");
}

TEST(TemplateErrors, WhatNeedsAnotherFileIsRefusedWhereItIsReached) {
  for (const std::string tag : {"include", "import", "from", "extends"}) {
    const std::string rest = tag == "import" ? " as b" : tag == "from" ? " import b" : "";
    const std::string statement = "{% " + tag + " 'a'" + rest + " %}";
    EXPECT_EQ(error_of("a\n" + statement),
              "template line 2: no loader for this environment specified: a chat template is one file, so '" +
                  tag + "' has nothing to load");
    EXPECT_EQ(test::render("{% if false %}" + statement + "{% endif %}ok"), "ok");
  }
}

TEST(TemplateErrors, OfBlocksNameThem) {
  EXPECT_EQ(error_of("\n{% block a %}{{ super() }}{% endblock %}"),
            "template line 2: there is no parent block called 'a'.");
  EXPECT_EQ(error_of("{% block a required %}{% endblock %}"),
            "template line 1: Required block 'a' not found");
  EXPECT_EQ(error_of("{{ self.b() }}"), "template line 1: 'TemplateReference object' has no attribute 'b'");
}

TEST(TemplateErrors, AFilterThatDoesNotExistMayStandWhereItIsNotReached) {
  EXPECT_EQ(test::render("{% if false %}{{ x|nope }}{% endif %}ok"), "ok");
  EXPECT_EQ(error_of("{% if true %}\n{{ x|nope }}{% endif %}"),
            "template line 2: No filter named 'nope' found.");
}

}  // namespace
}  // namespace linnet::jinja
