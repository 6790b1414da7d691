// The language by feature, with expectations worked out from Jinja's and Python's documentation. The breadth
// is in oracle_rows.json; here is what a reader of a failure should see at once.
#include "render.h"

namespace linnet::jinja {
namespace {

using test::render;

TEST(JinjaWhitespace, BlocksTakeTheirLineAndPrintsDoNot) {
  EXPECT_EQ(render("a\n  {% if true %}\nb\n  {% endif %}\nc"), "a\nb\nc");
  EXPECT_EQ(render("a\n  {{ 1 }}\nb\n"), "a\n  1\nb");
  EXPECT_EQ(render("x {% if true %} y {% endif %} z"), "x  y  z") << "not alone on its line";
}

TEST(JinjaWhitespace, SignsTakeOrKeepIt) {
  EXPECT_EQ(render("a \n {%- if true -%} \n b \n {%- endif -%} \n c"), "abc");
  EXPECT_EQ(render("a\n  {%+ if true +%}\nb{% endif %}"), "a\n  \nb");
  EXPECT_EQ(render("a {{- 1 -}} b"), "a1b");
  EXPECT_EQ(render("a {#- note -#} b"), "ab");
}

TEST(JinjaWhitespace, RawBlocksAreText) {
  EXPECT_EQ(render("{% raw %}{{ x }}{# y #}{% if %}{% endraw %}"), "{{ x }}{# y #}{% if %}");
}

TEST(JinjaExpressions, BindAsTightlyAsInJinja) {
  EXPECT_EQ(render("{{ 2 + 3 * 4 ** 2 // 5 }}"), "11");
  EXPECT_EQ(render("{{ -2 ** 2 }}"), "4") << "unlike Python: Jinja's sign binds tighter than its power";
  EXPECT_EQ(render("{{ 'a' + 1 ~ 2 * 3 }}"), "a16") << "~ binds tighter than +";
}

TEST(JinjaExpressions, FiltersAndTestsBindToTheOperandBesideThem) {
  EXPECT_EQ(render("{{ 'a' + 'b'|upper }}"), "aB");
  EXPECT_EQ(render("{{ 1 + 2 is odd }}"), "1") << "1 + (2 is odd)";
  EXPECT_EQ(render("{{ not x is defined }}"), "True");
  EXPECT_EQ(render("{{ -3|abs }}"), "3");
}

TEST(JinjaExpressions, ComparisonsChain) {
  EXPECT_EQ(render("{{ 1 < 2 < 3 }}{{ 1 < 3 < 2 }}{{ 1 == 1 != 2 }}"), "TrueFalseTrue");
}

TEST(JinjaExpressions, LogicReturnsTheOperandThatDecides) {
  EXPECT_EQ(render("{{ '' or 'b' }}{{ 0 and x.y.z }}{{ 'a' and 'c' }}"), "b0c");
}

TEST(JinjaExpressions, SlicesCountCodePoints) {
  EXPECT_EQ(render("{{ s[1:3] }}{{ s[::-1] }}{{ s[-1] }}", R"({"s": "aé🙂z"})"), "é🙂z🙂éaz");
}

TEST(JinjaPrinting, IsPythons) {
  EXPECT_EQ(render("{{ v }}", R"({"v": [1, 2.0, null, true, "it's", {"k": "a\n"}]})"),
            R"([1, 2.0, None, True, "it's", {'k': 'a\n'}])");
  EXPECT_EQ(render("{{ (1,) }}{{ () }}{{ 1e20 }}"), "(1,)()1e+20");
}

TEST(JinjaJson, IsJsonDumps) {
  constexpr const char* kValue = R"({"v": {"b": [1, 2.5, "é\u2028\""], "a": {}}})";
  EXPECT_EQ(render("{{ v|tojson }}", kValue), "{\"b\": [1, 2.5, \"é\xE2\x80\xA8\\\"\"], \"a\": {}}");
  EXPECT_EQ(render("{{ v|tojson(indent=2) }}", R"({"v": {"b": [1], "a": []}})"),
            "{\n  \"b\": [\n    1\n  ],\n  \"a\": []\n}");
  EXPECT_EQ(render("{{ '🙂<'|tojson(ensure_ascii=true) }}"), R"("\ud83d\ude42<")");
  EXPECT_EQ(render("{{ {'b': 1, 'a': 2}|tojson(sort_keys=true, separators=(',', ':')) }}"),
            R"({"a":2,"b":1})");
}

TEST(JinjaScopes, LoopsKeepTheirVariablesAndNamespacesDoNot) {
  EXPECT_EQ(render("{% set a = 0 %}{% for i in [1, 2] %}{% set a = a + i %}{% endfor %}{{ a }}"), "0");
  EXPECT_EQ(
      render("{% set n = namespace(a=0) %}{% for i in [1, 2] %}{% set n.a = n.a + i %}{% endfor %}{{ n.a }}"),
      "3");
  EXPECT_EQ(render("{% if true %}{% set a = 1 %}{% endif %}{{ a }}"), "1") << "an if has no scope";
}

TEST(JinjaScopes, MacrosSeeWhereTheyAreDefined) {
  EXPECT_EQ(render("{% macro m() %}{{ v }}{% endmacro %}{% set v = 1 %}{{ m() }}{% for v in [2] %}{{ m() "
                   "}}{% endfor %}"),
            "11");
}

TEST(JinjaLoops, KnowTheirPlace) {
  EXPECT_EQ(render("{% for c in 'abc' %}{{ loop.index }}{{ loop.revindex0 }}{{ '.' if loop.last else ',' "
                   "}}{% endfor %}"),
            "12,21,30.");
  EXPECT_EQ(render("{% for c in 'abc' %}{{ loop.previtem|d('-') }}{{ loop.nextitem|d('-') }} {% endfor %}"),
            "-b ac b- ");
}

TEST(JinjaLoops, FilterBreakContinueAndElse) {
  EXPECT_EQ(
      render("{% for i in range(9) if i is odd %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}"),
      "13");
  EXPECT_EQ(render("{% for i in range(3) %}{% if i == 1 %}{% continue %}{% endif %}{{ i }}{% endfor %}"),
            "02");
  EXPECT_EQ(render("{% for i in [] %}{% else %}none{% endfor %}"), "none");
}

TEST(JinjaLoops, TestTheirConditionAsLateAsJinja) {
  EXPECT_EQ(render("{% set n = namespace(go=true) %}{% for i in range(5) if n.go %}{{ i }}"
                   "{% if i == 1 %}{% set n.go = false %}{% endif %}{% endfor %}"),
            "01");
}

TEST(JinjaLoops, Recurse) {
  EXPECT_EQ(render("{% for x in t recursive %}{{ x.v }}{{ loop.depth }}({{ loop(x.c) }}){% endfor %}",
                   R"({"t": [{"v": "a", "c": [{"v": "b", "c": []}]}]})"),
            "a1(b2())");
}

TEST(JinjaMacros, TakeDefaultsKeywordsAndCallers) {
  EXPECT_EQ(render("{% macro m(a, b=a ~ '!') %}{{ a }}{{ b }}{{ varargs }}{{ kwargs }}{% endmacro %}"
                   "{{ m(1) }} {{ m(1, 2, 3, k=4) }}"),
            "11!(){} 12(3,){'k': 4}");
  EXPECT_EQ(render("{% macro m() %}<{{ caller('x') }}>{% endmacro %}{% call(y) m() %}{{ y }}!{% endcall %}"),
            "<x!>");
}

TEST(JinjaGenerators, RunOnceAndOnlyWhenAsked) {
  EXPECT_EQ(render("{% set g = [1, 2]|map('string') %}{{ g|join }}{{ g|join }}"), "12");
  EXPECT_EQ(render("{% set g = [1]|map('nope') %}fine"), "fine");
}

TEST(JinjaBlocks, SetFilterWithAndGeneration) {
  EXPECT_EQ(render("{% set x | trim | upper %} ab {% endset %}[{{ x }}]"), "[AB]");
  EXPECT_EQ(render("{% filter upper %}a{{ 'b' }}{% endfilter %}"), "AB");
  EXPECT_EQ(render("{% with a = 1 %}{{ a }}{% endwith %}{{ a is defined }}"), "1False");
  EXPECT_EQ(render("{% generation %}a{% endgeneration %}b"), "ab");
}

TEST(JinjaLookups, PreferAttributesAfterADotAndItemsInBrackets) {
  constexpr const char* kContext = R"({"d": {"items": 1, "x": 2}})";
  EXPECT_EQ(render("{{ d['items'] }}{{ d.items is callable }}{{ d.x }}{{ d['get']('x') }}", kContext),
            "1True22");
}

TEST(JinjaText, CaseFollowsUnicode) {
  EXPECT_EQ(render("{{ 'straße ǆ'|upper }} {{ 'ΟΔΟΣ'|lower }} {{ 'éa'|capitalize }}"), "STRASSE Ǆ οδος Éa");
}

}  // namespace
}  // namespace linnet::jinja
