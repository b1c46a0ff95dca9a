// Random filters over random artifacts: the store finds those for which an
// evaluator of our own, which knows no SQL, says TRUE. Its logic has three
// values: what is not set makes a condition unknown, and so does NOT of it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "metadata/api/open_store.h"
#include "metadata/query/filter_parser.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::ml_metadata::Artifact;
using ::ml_metadata::Context;
using ::ml_metadata::Value;

constexpr int kArtifacts = 60;
constexpr int kContexts = 4;
constexpr int kFilters = 4000;

// A state as a filter's operand: beside it "not set" has a meaning of its own.
struct State {
  std::optional<int> number;
};
// A bare word: the name of a state.
struct Word {
  std::string text;
};
using Operand = std::variant<std::monostate, bool, int64_t, double, std::string,
                             State, Word>;
using Truth = std::optional<bool>;  // none: unknown

Truth Not(Truth truth) {
  return truth.has_value() ? Truth(!*truth) : std::nullopt;
}
Truth And(Truth a, Truth b) {
  if (a == false || b == false) return false;
  return a.has_value() && b.has_value() ? Truth(true) : std::nullopt;
}
Truth Or(Truth a, Truth b) { return Not(And(Not(a), Not(b))); }

// --- the world ---------------------------------------------------------------

struct Node {
  Artifact artifact;
  std::vector<Context> contexts;
};

class Dice {
 public:
  explicit Dice(uint32_t seed) : random_(seed) {}
  int Below(int limit) { return static_cast<int>(random_() % limit); }
  bool OneIn(int n) { return Below(n) == 0; }
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(static_cast<int>(from.size()))];
  }

 private:
  std::mt19937 random_;
};

const std::vector<std::string>& Strings() {
  static const auto* const kStrings =
      new std::vector<std::string>{"a", "A", "ab", "b", "", "ä", "a_c", "a%"};
  return *kStrings;
}
const std::vector<double>& Doubles() {
  static const auto* const kDoubles = new std::vector<double>{
      0, -1, 0.5, 2, std::nan(""), std::numeric_limits<double>::infinity()};
  return *kDoubles;
}

Value RandomValue(const std::string& kind, Dice& dice) {
  Value value;
  if (kind == "i") value.set_int_value(dice.Below(4) - 1);
  if (kind == "d") value.set_double_value(dice.Pick(Doubles()));
  if (kind == "s") value.set_string_value(dice.Pick(Strings()));
  if (kind == "b") value.set_bool_value(dice.OneIn(2));
  return value;
}

Artifact RandomArtifact(int number, int64_t type_id, Dice& dice) {
  Artifact artifact;
  artifact.set_type_id(type_id);
  if (!dice.OneIn(3)) artifact.set_uri(dice.Pick(Strings()));
  if (!dice.OneIn(3)) artifact.set_name(absl::StrCat("n", number));
  if (!dice.OneIn(3)) {
    artifact.set_state(dice.OneIn(2) ? Artifact::LIVE : Artifact::DELETED);
  }
  for (const char* kind : {"i", "d", "s", "b"}) {
    if (dice.OneIn(2)) {
      (*artifact.mutable_properties())[kind] = RandomValue(kind, dice);
    }
    if (dice.OneIn(2)) {
      (*artifact.mutable_custom_properties())[kind] = RandomValue(kind, dice);
    }
  }
  return artifact;
}

class World {
 public:
  explicit World(uint32_t seed) : dice_(seed) {
    store_ = OpenSqliteStore(folder_ / "world.db", SystemClock()).value();
    PutTypes();
    PutContexts();
    for (int i = 0; i < kArtifacts; ++i) PutArtifact(i);
  }

  const std::vector<Node>& nodes() const { return nodes_; }

  // The ids that the store finds, in order.
  absl::StatusOr<std::vector<int64_t>> Find(const std::string& filter) {
    ml_metadata::GetArtifactsRequest request;
    request.mutable_options()->set_filter_query(filter);
    request.mutable_options()->set_max_result_size(100);
    request.mutable_options()->mutable_order_by_field()->set_field(
        ml_metadata::ListOperationOptions::OrderByField::ID);
    request.mutable_options()->mutable_order_by_field()->set_is_asc(true);
    RK_ASSIGN_OR_RETURN(const auto found,
                        store_->metadata().GetArtifacts(request));
    std::vector<int64_t> ids;
    for (const Artifact& artifact : found.artifacts()) {
      ids.push_back(artifact.id());
    }
    return ids;
  }

 private:
  void PutTypes() {
    ml_metadata::PutArtifactTypeRequest request;
    ml_metadata::ArtifactType& type = *request.mutable_artifact_type();
    type.set_name("Thing");
    (*type.mutable_properties())["i"] = ml_metadata::INT;
    (*type.mutable_properties())["d"] = ml_metadata::DOUBLE;
    (*type.mutable_properties())["s"] = ml_metadata::STRING;
    (*type.mutable_properties())["b"] = ml_metadata::BOOLEAN;
    type_ = store_->metadata().PutArtifactType(request)->type_id();
    ml_metadata::PutContextTypeRequest context;
    context.mutable_context_type()->set_name("Run");
    context_type_ = store_->metadata().PutContextType(context)->type_id();
  }

  void PutContexts() {
    for (int i = 0; i < kContexts; ++i) {
      ml_metadata::PutContextsRequest request;
      Context& context = *request.add_contexts();
      context.set_type_id(context_type_);
      context.set_name(absl::StrCat("c", i));
      if (i % 2 == 0) context.set_external_id(absl::StrCat("e", i));
      context.set_id(store_->metadata().PutContexts(request)->context_ids(0));
      contexts_.push_back(context);
    }
  }

  void PutArtifact(int number) {
    Node node = {RandomArtifact(number, type_, dice_), {}};
    ml_metadata::PutArtifactsRequest request;
    *request.add_artifacts() = node.artifact;
    node.artifact.set_id(
        store_->metadata().PutArtifacts(request)->artifact_ids(0));
    ml_metadata::PutAttributionsAndAssociationsRequest edges;
    for (const Context& context : contexts_) {
      if (!dice_.OneIn(3)) continue;
      node.contexts.push_back(context);
      auto& edge = *edges.add_attributions();
      edge.set_artifact_id(node.artifact.id());
      edge.set_context_id(context.id());
    }
    ASSERT_THAT(store_->metadata().PutAttributionsAndAssociations(edges),
                IsOk());
    nodes_.push_back(std::move(node));
  }

  TempDir folder_;
  Dice dice_;
  std::unique_ptr<Store> store_;
  int64_t type_ = 0;
  int64_t context_type_ = 0;
  std::vector<Context> contexts_;
  std::vector<Node> nodes_;
};

// --- the oracle --------------------------------------------------------------

// Which context each alias stands for; null where the node has none.
using Row = std::map<std::string, const Context*>;

template <typename Message>
Operand Text(bool has, const Message& text) {
  return has ? Operand(std::string(text)) : Operand();
}

Operand FieldOf(const Artifact& artifact, const std::string& name) {
  if (name == "id") return artifact.id();
  if (name == "type") return "Thing";
  if (name == "uri") return artifact.uri();  // stored as '' where not set
  if (name == "name") return Text(artifact.has_name(), artifact.name());
  if (name == "state") {
    return State{artifact.has_state() ? std::optional<int>(artifact.state())
                                      : std::nullopt};
  }
  return Word{name};
}

Operand FieldOf(const Context* context, const std::string& name) {
  if (context == nullptr) return {};
  if (name == "id") return context->id();
  if (name == "name") return context->name();
  return Text(context->has_external_id(), context->external_id());
}

template <typename Map>
Operand PropertyOf(const Map& properties, const std::string& name,
                   const std::string& kind) {
  const auto found = properties.find(name);
  if (found == properties.end()) return {};
  const Value& value = found->second;
  if (kind == "int_value" && value.has_int_value()) return value.int_value();
  if (kind == "double_value" && value.has_double_value()) {
    return value.double_value();
  }
  if (kind == "string_value" && value.has_string_value()) {
    return value.string_value();
  }
  if (kind == "bool_value" && value.has_bool_value()) return value.bool_value();
  return {};
}

// Whether `text` is like a pattern of % and _, in either case of ASCII. Counts
// characters, not bytes.
bool IsLike(absl::string_view text, absl::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    for (size_t i = 0; i <= text.size(); ++i) {
      if (IsLike(text.substr(i), pattern.substr(1))) return true;
    }
    return false;
  }
  if (text.empty()) return false;
  size_t length = 1;
  if (pattern[0] == '_') {
    while (length < text.size() && (text[length] & 0xC0) == 0x80) ++length;
    return IsLike(text.substr(length), pattern.substr(1));
  }
  return absl::ascii_tolower(text[0]) == absl::ascii_tolower(pattern[0]) &&
         IsLike(text.substr(1), pattern.substr(1));
}

class Oracle {
 public:
  explicit Oracle(const Node& node) : node_(node) {}

  // Whether the filter is TRUE for some choice of contexts for its aliases.
  bool Passes(const FilterExpr& filter) {
    std::vector<std::string> aliases;
    FindAliases(filter, aliases);
    return AnyRow(filter, aliases, Row());
  }

 private:
  static void FindAliases(const FilterExpr& expr,
                          std::vector<std::string>& aliases) {
    if (expr.kind == FilterExpr::Kind::kName &&
        absl::StartsWith(expr.name[0], "contexts_") &&
        std::find(aliases.begin(), aliases.end(), expr.name[0]) ==
            aliases.end()) {
      aliases.push_back(expr.name[0]);
    }
    for (const FilterExprPtr& operand : expr.operands) {
      FindAliases(*operand, aliases);
    }
  }

  bool AnyRow(const FilterExpr& filter, std::vector<std::string> aliases,
              Row row) {
    if (aliases.empty()) return Test(filter, row) == true;
    const std::string alias = aliases.back();
    aliases.pop_back();
    row[alias] = nullptr;
    if (node_.contexts.empty()) return AnyRow(filter, aliases, row);
    return std::any_of(node_.contexts.begin(), node_.contexts.end(),
                       [&](const Context& context) {
                         row[alias] = &context;
                         return AnyRow(filter, aliases, row);
                       });
  }

  Truth Test(const FilterExpr& expr, const Row& row) const {
    const Operand value = Evaluate(expr, row);
    const bool* truth = std::get_if<bool>(&value);
    return truth == nullptr ? Truth() : *truth;
  }

  Operand Evaluate(const FilterExpr& expr, const Row& row) const {
    using Kind = FilterExpr::Kind;
    if (expr.kind == Kind::kName) return Name(expr.name, row);
    if (expr.kind == Kind::kLiteral) {
      return std::visit([](const auto& value) { return Operand(value); },
                        expr.literal);
    }
    const Truth truth = expr.kind == Kind::kAnd || expr.kind == Kind::kOr
                            ? Chain(expr, row)
                            : Condition(expr, row);
    return truth.has_value() ? Operand(*truth) : Operand();
  }

  Operand Name(const std::vector<std::string>& name, const Row& row) const {
    if (name.size() == 1) return FieldOf(node_.artifact, name[0]);
    if (name[0] == "properties") {
      return PropertyOf(node_.artifact.properties(), name[1], name[2]);
    }
    if (name[0] == "custom_properties") {
      return PropertyOf(node_.artifact.custom_properties(), name[1], name[2]);
    }
    return FieldOf(row.at(name[0]), name[1]);
  }

  Truth Chain(const FilterExpr& expr, const Row& row) const {
    const bool all = expr.kind == FilterExpr::Kind::kAnd;
    Truth truth = all;
    for (const FilterExprPtr& operand : expr.operands) {
      const Truth next = Test(*operand, row);
      truth = all ? And(truth, next) : Or(truth, next);
    }
    return truth;
  }

  Truth Condition(const FilterExpr& expr, const Row& row) const {
    using Kind = FilterExpr::Kind;
    if (expr.kind == Kind::kNot) return Not(Test(*expr.operands[0], row));
    std::vector<Operand> values;
    for (const FilterExprPtr& operand : expr.operands) {
      values.push_back(Evaluate(*operand, row));
    }
    switch (expr.kind) {
      case Kind::kCompare:
        return Compare(values[0], expr.op, values[1]);
      case Kind::kIn:
        return In(values, expr.negated);
      case Kind::kLike:
        return Like(values[0], values[1], expr.negated);
      case Kind::kBetween: {
        const Truth inside = And(Compare(values[0], ">=", values[1]),
                                 Compare(values[0], "<=", values[2]));
        return expr.negated ? Not(inside) : inside;
      }
      default:
        return Is(values[0], expr);
    }
  }

  static Truth Compare(const Operand& a, absl::string_view op,
                       const Operand& b) {
    if (const State* state = std::get_if<State>(&a)) {
      // Not set: it is another one than any that is named.
      if (!state->number.has_value()) {
        return op == "!=" ? Truth(true) : std::nullopt;
      }
      return (op == "=") == (state->number == NumberOf(std::get<Word>(b)));
    }
    return std::visit(
        [&](const auto& x, const auto& y) { return CompareBoth(x, op, y); }, a,
        b);
  }

  template <typename X, typename Y>
  static Truth CompareBoth(const X& x, absl::string_view op, const Y& y) {
    constexpr bool kNumbers =
        std::is_arithmetic_v<X> && std::is_arithmetic_v<Y>;
    if constexpr (kNumbers ||
                  (std::is_same_v<X, Y> && std::is_same_v<X, std::string>)) {
      if (op == "=") return x == y;
      if (op == "!=") return x != y;
      if (op == "<") return x < y;
      if (op == "<=") return x <= y;
      if (op == ">") return x > y;
      return x >= y;
    } else {
      return std::nullopt;
    }
  }

  static int NumberOf(const Word& word) {
    Artifact::State state = Artifact::UNKNOWN;
    EXPECT_TRUE(Artifact::State_Parse(word.text, &state)) << word.text;
    return state;
  }

  static Truth In(const std::vector<Operand>& values, bool negated) {
    if (const State* state = std::get_if<State>(&values[0])) {
      // Not set: in no list, and NOT IN every list.
      if (!state->number.has_value()) {
        return negated ? Truth(true) : std::nullopt;
      }
    }
    Truth found = false;
    for (size_t i = 1; i < values.size(); ++i) {
      found = Or(found, Compare(values[0], "=", values[i]));
    }
    return negated ? Not(found) : found;
  }

  static Truth Like(const Operand& text, const Operand& pattern, bool negated) {
    const auto* const left = std::get_if<std::string>(&text);
    const auto* const right = std::get_if<std::string>(&pattern);
    if (left == nullptr || right == nullptr) return std::nullopt;
    return IsLike(*left, *right) != negated;
  }

  static bool IsUnset(const Operand& value) {
    const State* const state = std::get_if<State>(&value);
    return state != nullptr ? !state->number.has_value()
                            : std::holds_alternative<std::monostate>(value);
  }

  static Truth Is(const Operand& value, const FilterExpr& expr) {
    const bool* const wanted = std::get_if<bool>(&expr.literal);
    if (wanted == nullptr) return IsUnset(value) != expr.negated;
    const bool* const truth = std::get_if<bool>(&value);
    return (truth != nullptr && *truth == *wanted) != expr.negated;
  }

  const Node& node_;
};

// --- random filters ----------------------------------------------------------

class FilterMaker {
 public:
  explicit FilterMaker(uint32_t seed) : dice_(seed) {}

  std::string Condition(int depth) {
    if (depth == 0 || dice_.OneIn(4)) return Test();
    const std::string inner = Condition(depth - 1);
    switch (dice_.Below(5)) {
      case 0:
        return absl::StrCat("NOT (", inner, ")");
      case 1:
        return absl::StrCat("(", inner, ") IS ", dice_.OneIn(2) ? "NOT " : "",
                            dice_.Pick(kTruths_));
      case 2:
        return absl::StrCat("(", inner, ") OR ", Condition(depth - 1));
      default:
        return absl::StrCat("(", inner, ") AND (", Condition(depth - 1), ")");
    }
  }

 private:
  std::string Test() {
    switch (dice_.Below(6)) {
      case 0:
        return StateTest();
      case 1:
        return TestOf(Property("d", "double_value"), [this] {
          return dice_.OneIn(4) ? Property("d", "double_value")
                                : dice_.Pick(kNumbers_);
        });
      case 2:
        return TestOf(Property("i", "int_value"),
                      [this] { return absl::StrCat(dice_.Below(4) - 1); });
      case 3:
        return absl::StrCat(Property("b", "bool_value"), " = ",
                            dice_.OneIn(2) ? "TRUE" : "FALSE");
      case 4:
        return TextTest(dice_.OneIn(2) ? Property("s", "string_value") : "uri");
      default:
        return TextTest(
            absl::StrCat("contexts_", dice_.OneIn(2) ? "x" : "y",
                         dice_.OneIn(2) ? ".name" : ".external_id"));
    }
  }

  std::string Property(absl::string_view name, absl::string_view kind) {
    return absl::StrCat(dice_.OneIn(2) ? "custom_" : "", "properties.", name,
                        ".", kind);
  }

  std::string StateTest() {
    const std::string name = dice_.OneIn(2) ? "LIVE" : "DELETED";
    switch (dice_.Below(4)) {
      case 0:
        return absl::StrCat("state = ", name);
      case 1:
        return absl::StrCat("state != ", name);
      case 2:
        return absl::StrCat("state IS ", dice_.OneIn(2) ? "NOT " : "", "NULL");
      default:
        return absl::StrCat("state ", Negation(), "IN (", name, ", PENDING)");
    }
  }

  std::string TextTest(const std::string& field) {
    if (dice_.OneIn(3)) {
      return absl::StrCat(field, " ", Negation(), "LIKE ",
                          dice_.Pick(kPatterns_));
    }
    return TestOf(field, [this] {
      const std::string& text = dice_.Pick(Strings());
      return absl::StrCat("'", dice_.OneIn(2) ? text : dice_.Pick(kNames_),
                          "'");
    });
  }

  template <typename Literal>
  std::string TestOf(const std::string& field, const Literal& literal) {
    switch (dice_.Below(4)) {
      case 0:
        return absl::StrCat(field, " IS ", dice_.OneIn(2) ? "NOT " : "",
                            "NULL");
      case 1:
        return absl::StrCat(field, " ", Negation(), "BETWEEN ", literal(),
                            " AND ", literal());
      default:
        return absl::StrCat(field, " ", dice_.Pick(kComparisons_), " ",
                            literal());
    }
  }

  std::string Negation() { return dice_.OneIn(2) ? "NOT " : ""; }

  Dice dice_;
  const std::vector<std::string> kTruths_ = {"TRUE", "FALSE", "NULL"};
  const std::vector<std::string> kNumbers_ = {"0", "0.5", "-1.0", "2", "1e300"};
  const std::vector<std::string> kNames_ = {"c0", "c1", "c2", "e0", "e2"};
  const std::vector<std::string> kPatterns_ = {"'a%'", "'_'",  "'%B'",
                                               "'c_'", "'e0'", "'%'"};
  const std::vector<std::string> kComparisons_ = {"=",  "!=", "<",
                                                  "<=", ">",  ">="};
};

std::vector<int64_t> Expected(const World& world, const FilterExpr& filter) {
  std::vector<int64_t> ids;
  for (const Node& node : world.nodes()) {
    if (Oracle(node).Passes(filter)) ids.push_back(node.artifact.id());
  }
  return ids;
}

class FilterOracleTest : public ::testing::Test {
 protected:
  void Check(const std::string& filter) {
    RK_ASSERT_OK_AND_ASSIGN(const FilterExprPtr parsed, ParseFilter(filter));
    RK_ASSERT_OK_AND_ASSIGN(const std::vector<int64_t> found,
                            world_.Find(filter));
    EXPECT_EQ(found, Expected(world_, *parsed)) << filter;
  }

  World world_{20261118};
};

TEST_F(FilterOracleTest, RandomFiltersFindWhatTheyMean) {
  FilterMaker maker(7);
  for (int i = 0; i < kFilters && !HasFailure(); ++i) Check(maker.Condition(3));
}

TEST_F(FilterOracleTest, WhatIsNotSetIsNotFoundByNot) {
  Check("NOT (properties.d.double_value > 0.5)");
  Check("NOT (0.5 < properties.d.double_value)");
  Check("NOT (properties.d.double_value NOT BETWEEN 0 AND 1)");
}

}  // namespace
}  // namespace rekindle
