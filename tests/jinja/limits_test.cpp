// Hostile templates end with an error, in bounded time and memory.
#include <chrono>

#include "render.h"

namespace linnet::jinja {
namespace {

using test::error_of;

TEST(TemplateLimits, EndlessAndExponentialTemplatesAreStopped) {
  Options options;
  options.max_steps = 300'000;
  options.max_memory = size_t{16} << 20;
  options.max_output = size_t{1} << 20;
  const char* hostile[] = {
      "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
      "{{ range(10**12) }}",
      "{{ 'x' * 10**9 }}",
      "{{ [0] * 10**9 }}",
      "{{ ('x' * 1000000) * 1000000 }}",
      "{% set ns = namespace(s='x') %}{% for i in range(99999) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
      "{% set ns = namespace(s='x') %}{% for i in range(99999) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(99999) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(99999) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ "
      "ns.l }}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}"
      "{{ ns.l|tojson }}",
      "{% set ns = namespace(l=(1,), m=(1,)) %}{% for i in range(99) %}{% set ns.l = (ns.l, ns.l) %}"
      "{% set ns.m = (ns.m, ns.m) %}{% endfor %}{{ ns.l == ns.m }}",
      "{% set ns = namespace(l=(1,)) %}{% for i in range(99) %}{% set ns.l = (ns.l, ns.l) %}{% endfor %}"
      "{{ {ns.l: 1} }}",
      "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
      "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
      "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
      "{% block x %}{{ self.x() }}{% endblock %}",
      "{% block x %}{{ self.x() }}{{ self.x() }}{% endblock %}",
      "{{ ('a ' * 400000)|wordwrap(1) }}",
      "{{ ('&amp;' * 300000)|striptags|urlize|striptags|urlize|striptags|urlize|striptags }}",
      "{{ ('w ' * 500000)|pprint }}",
      "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}",
      "{{ '%1000000000d' % 1 }}",
      "{{ '{:1000000000}'.format(1) }}",
      "{{ '%.1000000000f' % 1 }}",
      "{{ 'a'.center(10**10) }}{{ 'a'.zfill(10**10) }}",
      "{{ 'a'|indent(10**10, true) }}",
      "{{ 'a'.ljust(999999999999999999999) }}",
      "{{ [1]|batch(10**10, 1)|list }}",
      "{{ [1]|slice(10**10)|list }}",
      "{{ ('a' * 1000000).replace('a', 'bb').replace('b', 'cc') }}",
      "{{ ('a,' * 400000).split(',') }}",
      "{{ ('a' * 900000)|list }}",
      "{{ ('a' * 1000000)|join('a' * 1000) }}",
      "{{ '\t'.expandtabs(10**10) }}",
      "{{ 2 ** 10000 }}",
      "{{ 10 ** 38 * 100 }}",
      "{{ ('x' * 100000)|map('upper')|map('lower')|list|tojson }}",
      "{{ (range(99999)|list + range(99999)|list)|sort(reverse=true)|unique|list }}",
      "{% set ns = namespace(g=[1]) %}{% for i in range(9999) %}{% set ns.g = ns.g|map('string') %}{% endfor "
      "%}"
      "{{ ns.g|list }}",
      "{% set ns = namespace(l=[]) %}{% for i in range(9999) %}{% set ns.l = namespace(l=ns.l) %}{% endfor "
      "%}{{ ns }}",
      "{% set ns = namespace(f='') %}{% for i in range(99999) %}{% set ns.f = ns.f.strip %}{% endfor %}",
      "{% for i in range(99999) %}{% macro m() %}{{ i }}{% endmacro %}{{ m() }}{% endfor %}",
      "{{ strftime_now }}{{ dict(range(99999)|batch(2))|length }}{{ dict(range(99999)|batch(2)) }}",
      "{% set x %}{% for i in range(99999) %}{{ 'abcdefgh' * 100 }}{% endfor %}{% endset %}",
  };
  for (const char* source : hostile) {
    SCOPED_TRACE(source);
    const auto begin = std::chrono::steady_clock::now();
    Template::Usage usage;
    EXPECT_THROW((void)Template::parse(source, options).render(Value::dict({}), usage), TemplateError);
    EXPECT_LE(usage.peak_memory, options.max_memory);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(elapsed.count(), 5.0) << "seconds";
  }
}

// What a careless search would look at again from each of its places.
TEST(TemplateLimits, LongTextsForPagesTakeTimeInProportion) {
  const char* sources[] = {
      "{{ ('<!--' * 100000)|striptags|length }}",
      "{{ ('<!-->' * 100000)|striptags|length }}",
      "{{ ('<' * 100000 ~ '!-- -->' * 50000)|striptags|length }}",
      "{{ ('<' * 400000)|striptags|length }}",
      "{{ ('<a' * 200000 ~ '>')|striptags|length }}",
      "{{ ('&' * 400000)|striptags|length }}",
      "{{ ('&CounterClockwiseContourIntegral' * 12000)|striptags|length }}",
      "{{ ('(' * 200000 ~ ')' * 200000)|urlize|length }}",
      "{{ ('http://' ~ 'a.' * 200000)|urlize|length }}",
      "{{ ('@a.' * 130000)|urlize|length }}",
      "{{ ('http://a.com/' * 30000)|urlize|length }}",
      "{{ ('-' * 400000)|wordwrap(200000)|length }}",
      "{{ ('a-' * 200000)|wordwrap(100000)|length }}",
      "{{ ('a--' * 100000 ~ 'b')|wordwrap(2)|length }}",
      "{{ ('\u00a0' * 200000 ~ 'a')|wordwrap(3)|length }}",
      "{{ ('a' * 400000)|pprint|length }}",
      "{{ ('a\n' * 100000)|pprint|length }}",
  };
  for (const char* source : sources) {
    SCOPED_TRACE(source);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_NO_THROW((void)test::render(source));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(elapsed.count(), 5.0) << "seconds";
  }
}

TEST(TemplateLimits, DeepNestingInTheSourceIsRefused) {
  const auto repeated = [](std::string_view piece, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += piece;
    return out;
  };
  EXPECT_NE(error_of("{{ " + repeated("(", 5000) + "1" + repeated(")", 5000) + " }}"), "");
  EXPECT_NE(error_of("{{ " + repeated("[", 5000) + repeated("]", 5000) + " }}"), "");
  EXPECT_NE(error_of("{{ " + repeated("{1:", 5000) + "1" + repeated("}", 5000) + " }}"), "");
  EXPECT_NE(error_of("{{ " + repeated("-", 5000) + "1 }}"), "");
  EXPECT_NE(error_of("{{ " + repeated("not ", 5000) + "1 }}"), "");
  EXPECT_NE(error_of("{{ 1" + repeated("+1", 5000) + " }}"), "");
  EXPECT_NE(error_of("{{ a" + repeated(".b", 5000) + " }}"), "");
  EXPECT_NE(error_of("{{ a" + repeated("|string", 5000) + " }}"), "");
  EXPECT_NE(error_of("{{ a" + repeated("[0]", 5000) + " }}"), "");
  EXPECT_NE(error_of("{{ a" + repeated("()", 5000) + " }}"), "");
  EXPECT_NE(error_of("{{ 1" + repeated(" if 1 else 1", 5000) + " }}"), "");
  EXPECT_NE(error_of(repeated("{% if 1 %}", 5000) + repeated("{% endif %}", 5000)), "");
  EXPECT_NE(error_of(repeated("{% for a in [1] %}", 5000) + repeated("{% endfor %}", 5000)), "");
  EXPECT_NE(error_of("{% set " + repeated("(", 5000) + "a" + repeated(")", 5000) + " = 1 %}"), "");
  // Long is not deep.
  EXPECT_EQ(test::render("{{ '1'" + repeated(" ~ '1'", 5000) + " }}"), std::string(5001, '1'));
  EXPECT_EQ(test::render("{{ 1" + repeated(" + 1", 400) + " }}"), "401");
  EXPECT_EQ(test::render("{% if 0 %}" + repeated("{% elif 0 %}", 5000) + "{% else %}x{% endif %}"), "x");
}

// Looking names up one by one takes time with the square of their number, and so must the steps.
TEST(TemplateLimits, SearchingAmongManyNamesIsPaidFor) {
  const auto joined = [](int count, const auto& piece) {
    std::string out;
    for (int i = 0; i < count; ++i) out += piece(i);
    return out;
  };
  const auto variables = [&](int count) {
    return joined(count, [](int i) { return concat("{% set a", i, " = 1 %}"); });
  };
  const auto keywords = [&](int count) {
    const std::string parameters = joined(count, [](int i) { return concat(i == 0 ? "a" : ",a", i); });
    const std::string backwards = joined(count, [&](int i) { return concat("a", count - 1 - i, "=1,"); });
    return concat("{% macro m(", parameters, ") %}{% endmacro %}{{ m(", backwards, ") }}");
  };
  const auto fields = [&](int count) {
    const std::string format = joined(count, [](int i) { return concat("{a", i, "}"); });
    return concat("{{ '", format, "'.format(", joined(count, [](int i) { return concat("a", i, "=1,"); }),
                  ") }}");
  };
  const auto steps = [](const std::string& source) {
    Template::Usage usage;
    (void)Template::parse(source).render(Value::dict({}), usage);
    return usage.steps;
  };
  EXPECT_GT(steps(variables(2000)), 8 * steps(variables(500)));
  EXPECT_GT(steps(keywords(2000)), 8 * steps(keywords(500)));
  EXPECT_GT(steps(fields(2000)), 8 * steps(fields(500)));
  EXPECT_GT(steps("{{ [{}]|map(attribute='" + std::string(1000, '.') + "', default={})|list }}"), 1000u);
}

TEST(TemplateLimits, ATemplateThatIsTooLargeIsRefused) {
  Options options;
  options.max_source = 10;
  EXPECT_EQ(error_of("0123456789a", "{}", options), "template line 1: a template of more than 10 bytes");
}

TEST(TemplateLimits, EachLimitNamesItself) {
  Options options;
  options.max_steps = 100;
  EXPECT_EQ(error_of("{% for i in range(1000) %}{% endfor %}", "{}", options),
            "template line 1: more than 100 steps");
  options = {};
  options.max_output = 1000;
  EXPECT_EQ(error_of("{% for i in range(1000) %}\nabcdefgh\n{% endfor %}", "{}", options),
            "template line 2: a text of more than 1000 bytes");
  options = {};
  options.max_depth = 50;
  EXPECT_EQ(error_of("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "{}", options),
            "template line 1: more than 50 nested evaluations");
  options = {};
  options.max_memory = 10'000;
  EXPECT_EQ(error_of("{{ [1] * 1000 }}", "{}", options), "template line 1: values of more than 10000 bytes");
}

TEST(TemplateLimits, DefaultsLeaveRoomForLongConversations) {
  Dict context;
  Values messages;
  for (int i = 0; i < 2000; ++i) {
    Dict message;
    message.set("role", Value::text(i % 2 ? "assistant" : "user"));
    message.set("content", Value::text(std::string(2000, 'a')));
    messages.push_back(Value::dict(std::move(message)));
  }
  context.set("messages", Value::list(std::move(messages)));
  const Template conversation = Template::parse(
      "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content|trim + '<|im_end|>\n' }}{% "
      "endfor %}");
  Template::Usage usage;
  const std::string text = conversation.render(Value::dict(std::move(context)), usage);
  EXPECT_EQ(text.size(), 1000 * (size_t{2} * 2000 + 2 * (12 + 1 + 10 + 1) + 4 + 9));
  EXPECT_LT(usage.steps * 20, Options{}.max_steps);
}

TEST(TemplateLimits, ValuesThatHoldEachOtherAreFreed) {
  // Under AddressSanitizer a leak fails the test program.
  EXPECT_EQ(
      test::render(
          "{% set ns = namespace() %}{% set ns.a = ns %}{% macro m() %}{{ ns }}{% endmacro %}"
          "{% set ns.m = m %}{% for i in [1] %}{% set ns.l = loop %}{{ loop.changed(loop) }}{% endfor %}"
          "{{ ns.l.changed(ns) }}"),
      "TrueTrue");
  EXPECT_NE(error_of("{% for i in [1] %}{{ loop.changed(loop) }}{{ nope.x }}{% endfor %}"), "");
}

}  // namespace
}  // namespace linnet::jinja
