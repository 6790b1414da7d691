// Values on their own: numbers and texts as Python prints and counts them.
#include "text/jinja/value.h"

#include <limits>

#include "render.h"
#include "text/jinja/dict.h"
#include "text/jinja/numbers.h"
#include "text/jinja/object.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

TEST(JinjaNumbers, FloatsArePrintedAsPythonPrintsThem) {
  const std::pair<double, const char*> cases[] = {
      {1.0, "1.0"},
      {0.1, "0.1"},
      {1e16, "1e+16"},
      {9999999999999998.0, "9999999999999998.0"},
      {0.0001, "0.0001"},
      {1e-5, "1e-05"},
      {-0.0, "-0.0"},
      {1e22, "1e+22"},
      {1.5e300, "1.5e+300"},
      {5e-324, "5e-324"},
      {123456.789, "123456.789"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(float_to_text(value), text);
  EXPECT_EQ(float_to_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(float_to_text(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(JinjaNumbers, IntegersAreReadAndWrittenUpTo128Bits) {
  const Integer largest = (Integer{1} << 126) - 1 + (Integer{1} << 126);
  EXPECT_EQ(integer_to_text(largest), "170141183460469231731687303715884105727");
  EXPECT_EQ(integer_to_text(-largest - 1), "-170141183460469231731687303715884105728");
  EXPECT_TRUE(parse_integer("170141183460469231731687303715884105727") == largest);
  EXPECT_THROW((void)parse_integer("170141183460469231731687303715884105728"), Failure);
  EXPECT_TRUE(parse_integer(" -0x1f ", 16) == Integer{-31});
  EXPECT_FALSE(parse_integer("1__0"));
  EXPECT_FALSE(parse_integer(""));
  EXPECT_FALSE(parse_integer("12a"));
}

TEST(JinjaText, CountsCodePointsAndKeepsInvalidBytes) {
  EXPECT_EQ(count_code_points("aé東🙂"), 4u);
  EXPECT_EQ(count_code_points("a\xFF\xC3"), 3u);
  EXPECT_EQ(to_utf8(to_code_points("a\xFF\xE6\x9D")), "a\xFF\xE6\x9D");
  EXPECT_EQ(byte_offset("é🙂x", 2), 6u);
  EXPECT_EQ(byte_offset("é", 9), 2u);
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));
  EXPECT_EQ(strip_space("\xE3\x80\x80 x\xC2\xA0\n", true, true), "x");
}

TEST(JinjaDict, FindsKeysByPythonsEqualityAlsoWhenItIsLarge) {
  Budget budget{Options{}};
  Dict dict;
  for (int i = 0; i < 1000; ++i) dict.set(Value::integer(i), Value::integer(i * i), budget);
  for (int i = 0; i < 1000; ++i) dict.set(concat("k", i), Value::integer(-i));
  ASSERT_EQ(dict.size(), 2000u);
  EXPECT_TRUE(dict.find(Value::floating(30.0), budget)->as_integer() == 900);
  EXPECT_TRUE(dict.find(Value::boolean(true), budget)->as_integer() == 1);
  EXPECT_TRUE(dict.find("k7")->as_integer() == -7);
  EXPECT_EQ(dict.find("k1000"), nullptr);
  EXPECT_EQ(dict.find(Value::none(), budget), nullptr);
  EXPECT_THROW((void)dict.find(Value::list({}), budget), Failure);
  dict.set(Value::floating(5.0), Value::none(), budget);
  EXPECT_EQ(dict.size(), 2000u);
  EXPECT_TRUE(dict.entries()[5].key.is(Kind::integer)) << "the first key stays";
  EXPECT_TRUE(dict.entries()[5].value.is_none());
}

TEST(JinjaValues, HostsCanGiveFunctions) {
  Dict context;
  context.set("twice", host_function("twice", [](Arguments arguments, Budget& budget) {
                return make_text(budget,
                                 arguments.positional.at(0).as_text() + arguments.positional[0].as_text());
              }));
  EXPECT_EQ(
      Template::parse("{{ twice('ab') }}{{ twice is callable }}").render(Value::dict(std::move(context))),
      "ababTrue");
}

TEST(JinjaValues, ATemplateCanBeRenderedAgainAndAgain) {
  const Template greeting =
      Template::parse("{% set ns = namespace(n=0) %}{% set ns.n = ns.n + 1 %}{{ ns.n }}{{ name }}");
  for (const char* name : {"a", "b"}) {
    Dict context;
    context.set("name", Value::text(name));
    EXPECT_EQ(greeting.render(Value::dict(std::move(context))), concat("1", name));
  }
  EXPECT_THROW((void)greeting.render(Value::none()), Error);
}

}  // namespace
}  // namespace linnet::jinja
