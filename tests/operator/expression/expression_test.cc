#include "operator/expression/expression.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Value::Map Variables() {
  return {
      {"name", Value("penguin")},
      {"count", Value(3)},
      {"empty", Value()},
      {"inputs",
       Value(Value::Map{
           {"parameters",
            Value(Value::Map{{"n", Value("7")}, {"my-name", Value("x")}})}})},
      {"list", Value(Value::List{Value(3), Value(1), Value(2)})},
  };
}

// The value as JSON, or "error: ..." .
std::string Eval(const std::string& text) {
  const absl::StatusOr<Expression> parsed = Expression::Parse(text);
  if (!parsed.ok()) {
    return "error: " + std::string(parsed.status().message());
  }
  const absl::StatusOr<Value> value = parsed->Evaluate(Variables());
  if (!value.ok()) return "error: " + std::string(value.status().message());
  return ToJsonText(*value).value_or("not JSON");
}

struct Case {
  std::string text;
  std::string json;
};

class ExpressionTest : public ::testing::TestWithParam<Case> {};

TEST_P(ExpressionTest, GivesWhatArgoGives) {
  EXPECT_EQ(Eval(GetParam().text), GetParam().json) << GetParam().text;
}

// Many more, at random, are in tests/e2e/expression_peer_test.py.
INSTANTIATE_TEST_SUITE_P(Literals, ExpressionTest,
                         ::testing::ValuesIn(std::vector<Case>{
                             {"1", "1"},
                             {"1_000", "1000"},
                             {"0x1F", "31"},
                             {"0b101", "5"},
                             {"1.5e3", "1500"},
                             {".5", "0.5"},
                             {"'it\\'s'", "\"it's\""},
                             {"`raw\\n`", "\"raw\\\\n\""},
                             {"\"\\u00e9\"", "\"\u00e9\""},
                             {"nil", "null"},
                             {"[1, 'a', true]", "[1,\"a\",true]"},
                             {"{a: 1, 'b c': 2}", "{\"a\":1,\"b c\":2}"},
                             {"'<&>'", "\"\\u003c\\u0026\\u003e\""},
                         }));

INSTANTIATE_TEST_SUITE_P(
    Operators, ExpressionTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"1 + 2 * 3", "7"},
        {"(1 + 2) * 3", "9"},
        {"7 / 2", "3.5"},
        {"7 % 4", "3"},
        {"2 ** 3 ** 2", "512"},
        {"-2 ** 2", "-4"},
        {"'a' + 'b'", "\"ab\""},
        {"1 < 2 and 2 < 3", "true"},
        {"1 < 2 < 3", "true"},
        {"3 > 2 > 2", "false"},
        {"not true or true", "true"},
        {"!(1 == 1.0)", "false"},
        {"'7' == 7", "false"},
        {"2 in list", "true"},
        {"9 not in list", "true"},
        {"'n' in inputs.parameters", "true"},
        {"name matches '^pen.*n$'", "true"},
        {"name startsWith 'pen' && name endsWith 'in'", "true"},
        {"not (name contains 'x')", "true"},
        {"name not contains 'x'", "true"},
        {"1..3", "[1,2,3]"},
        {"count > 2 ? 'many' : 'few'", "\"many\""},
        {"if count > 5 { 'many' } else { 'few' }", "\"few\""},
        {"empty ?? 'default'", "\"default\""},
        {"empty?.a.b", "null"},
        {"fromJSON('{}').x?.a.b", "null"},
        {"let x = count + 1; x * 2", "8"},
    }));

INSTANTIATE_TEST_SUITE_P(Members, ExpressionTest,
                         ::testing::ValuesIn(std::vector<Case>{
                             {"inputs.parameters.n", "\"7\""},
                             {"inputs.parameters['my-name']", "\"x\""},
                             {"inputs.parameters.missing", "null"},
                             {"list[0]", "3"},
                             {"list[-1]", "2"},
                             {"list[1:]", "[1,2]"},
                             {"name[0:3]", "\"pen\""},
                             {"list[:-1]", "[3,1]"},
                             {"asInt(inputs.parameters.n) + 1", "8"},
                             {"int('12') * float('1.5')", "18"},
                             {"$env.name", "\"penguin\""},
                         }));

INSTANTIATE_TEST_SUITE_P(
    Functions, ExpressionTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"map(list, # * 2)", "[6,2,4]"},
        {"filter(list, {# > 1})", "[3,2]"},
        {"all(list, # > 0)", "true"},
        {"none(list, # > 5)", "true"},
        {"one(list, # == 3)", "true"},
        {"count(list, # > 1)", "2"},
        {"sum(list)", "6"},
        {"reduce(list, #acc + #, 10)", "16"},
        {"sortBy(list, #, 'desc')", "[3,2,1]"},
        {"sort(list)", "[1,2,3]"},
        {"list | filter(# > 1) | len()", "2"},
        {"map([{a: 1}, {a: 2}], .a)", "[1,2]"},
        {"len('h\u00e9')", "2"},
        {"upper(trim('  a '))", "\"A\""},
        {"split('a,b,c', ',', 2)", "[\"a\",\"b,c\"]"},
        {"join(['a', 'b'], '-')", "\"a-b\""},
        {"replace('aXbX', 'X', '')", "\"ab\""},
        {"max(1, 2.5, [7])", "7"},
        {"round(2.5)", "3"},
        {"string(1.0)", "\"1\""},
        {"string(999999.5)", "\"999999.5\""},
        {"string(1e6)", "\"1e+06\""},
        {"string(2577500.0)", "\"2.5775e+06\""},
        {"string(0.0001)", "\"0.0001\""},
        {"string(0.00002)", "\"2e-05\""},
        {"toJson(1e20)", "\"100000000000000000000\""},
        {"45724735877198192.0", "45724735877198190"},
        {"abs(-0.0)", "-0"},
        {"toJson({b: [1], a: nil})", "\"{\\\"a\\\":null,\\\"b\\\":[1]}\""},
        {"fromJSON('{\"a\": 1}').a", "1"},
        {"jsonpath('{\"a\": [{\"b\": 1}, {\"b\": 2}]}', '$.a[*].b')", "[1,2]"},
        {"keys({b: 1, a: 2})", "[\"a\",\"b\"]"},
        {"sprig.trim('  x ')", "\"x\""},
        {"sprig.replace('a', 'b', 'aa')", "\"bb\""},
        {"sprig.add('2', 3)", "5"},
        {"sprig.default('d', '')", "\"d\""},
        {"sprig.ternary('y', 'n', true)", "\"y\""},
        {"sprig.date('2006-01-02', sprig.toDate('2006-01-02', '2024-02-29'))",
         "\"2024-02-29\""},
        {"sprig.b64dec(sprig.b64enc('hi'))", "\"hi\""},
        {"sprig.regexReplaceAll('a(x*)b', '-ab-axxb-', '${1}W')",
         "\"-W-xxW-\""},
        {"date('2024-01-02').Year()", "2024"},
        {"duration('90m').Hours()", "1.5"},
    }));

struct BadCase {
  std::string text;
  std::string part;
};

class BadExpressionTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadExpressionTest, SaysWhereAndWhat) {
  const std::string result = Eval(GetParam().text);
  EXPECT_THAT(result, HasSubstr("error: column "));
  EXPECT_THAT(result, HasSubstr(GetParam().part));
}

INSTANTIATE_TEST_SUITE_P(
    Bad, BadExpressionTest,
    ::testing::ValuesIn(std::vector<BadCase>{
        {"1 +", "ends too early"},
        {"1 2", "unexpected '2'"},
        {"'open", "a string without an end"},
        {"lenn([])", "no function 'lenn'; did you mean 'len'?"},
        {"sprig.nothing()", "no function 'sprig.nothing'"},
        {"trim(1)", "argument 1 of 'trim' must be a string, not int"},
        {"trim()", "does not take 0 arguments"},
        {"unknown + 1", "unknown name 'unknown'"},
        {"false && unknown", "unknown name 'unknown'"},
        {"empty.a", "there is no 'a' in a value that is nil"},
        {"list[7]", "there is no '7' in array"},
        {"1 + 'a'", "'+' cannot join int and string"},
        {"1 % 0", "division by zero"},
        {"int('x')", "'x' is no whole number"},
        {"name matches '('", "no regular expression"},
        {"1 and true", "true or false is needed, not int"},
        {"#", "unexpected '#'"},
        {std::string(500, '('), "nested too deeply"},
        {"1..9999999", "a range of over a million"},
    }));

TEST(ExpressionNamesTest, AreThoseAnExpressionCannotDoWithout) {
  const auto names = [](const std::string& text) {
    return Expression::Parse(text)->RequiredNames();
  };
  EXPECT_THAT(names("tasks.a.outputs.result + item"),
              ElementsAre("tasks.a.outputs.result", "tasks.a.outputs",
                          "tasks.a", "tasks", "item"));
  EXPECT_THAT(names("tasks.a ?? 'x'"), ElementsAre("tasks"));
  EXPECT_THAT(names("let x = 1; x"), ElementsAre());
}

TEST(ExpressionBoolTest, AnythingElseIsRefused) {
  EXPECT_FALSE(Expression::Parse("1")->EvaluateBool({}).ok());
  EXPECT_TRUE(*Expression::Parse("1 == 1")->EvaluateBool({}));
}

}  // namespace
}  // namespace rekindle::argo
