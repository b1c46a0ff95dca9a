#include "component/training/warm_start.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

const std::vector<VariableSpec>& Variables() {
  static const auto& variables = *new std::vector<VariableSpec>{
      {.name = "dense/kernel", .shape = TensorShape({4, 16})},
      {.name = "logits/bias", .shape = TensorShape({3})}};
  return variables;
}

VariableAxes Axes(std::vector<std::string> classes) {
  return {.axes = {{"classes", std::move(classes)}},
          .variables = {{"logits/bias", {"classes"}}}};
}

SavedVariables Base() {
  return {.values = {{"dense/kernel",
                      Tensor(tensorflow::DT_FLOAT, TensorShape({4, 16}))},
                     {"logits/bias",
                      Tensor(tensorflow::DT_FLOAT, TensorShape({3}))}},
          .axes = Axes({"a", "b", "c"})};
}

// Why `name` was not restored; "restored" when it was.
std::string Outcome(const WarmStart& plan, const std::string& name) {
  for (const WarmStartVariable& variable : plan.report.variables) {
    if (variable.name != name) continue;
    EXPECT_EQ(variable.restored, plan.restored.contains(name));
    return variable.restored ? "restored" : variable.reason;
  }
  return "not reported";
}

WarmStart Plan(const SavedVariables& base,
               const VariableAxes& axes = Axes({"a", "b", "c"})) {
  return PlanWarmStart(Variables(), axes, base, "base");
}

// A model that has the variables of Base under other names.
SavedVariables Renamed(const std::string& kernel, const std::string& bias) {
  SavedVariables base = Base();
  SavedVariables renamed;
  renamed.values[kernel] = base.values.at("dense/kernel");
  renamed.values[bias] = base.values.at("logits/bias");
  return renamed;
}

TEST(WarmStartTest, EqualVariablesAreRestored) {
  const WarmStart plan = Plan(Base());
  EXPECT_EQ(Outcome(plan, "dense/kernel"), "restored");
  EXPECT_EQ(Outcome(plan, "logits/bias"), "restored");
}

TEST(WarmStartTest, AnotherShapeIsNotRestored) {
  SavedVariables base = Base();
  base.values["dense/kernel"] =
      Tensor(tensorflow::DT_FLOAT, TensorShape({6, 16}));
  EXPECT_EQ(Outcome(Plan(base), "dense/kernel"),
            "shape [6,16] in the base model, [4,16] here");
  EXPECT_EQ(Outcome(Plan(base), "logits/bias"), "restored");
}

TEST(WarmStartTest, AnotherTypeIsNotRestored) {
  SavedVariables base = Base();
  base.values["logits/bias"] = Tensor(tensorflow::DT_INT64, TensorShape({3}));
  EXPECT_EQ(Outcome(Plan(base), "logits/bias"),
            "type int64 in the base model, float here");
}

TEST(WarmStartTest, AVariableTheBaseLacksIsNotRestored) {
  SavedVariables base = Base();
  base.values.erase("logits/bias");
  EXPECT_EQ(Outcome(Plan(base), "logits/bias"), "not in the base model");
}

TEST(WarmStartTest, ClassesInAnotherOrderAreNotRestored) {
  const WarmStart plan = Plan(Base(), Axes({"a", "c", "b"}));
  EXPECT_EQ(
      Outcome(plan, "logits/bias"),
      "its classes differ: 'b' at position 1 in the base model, 'c' here");
  EXPECT_EQ(Outcome(plan, "dense/kernel"), "restored");
}

TEST(WarmStartTest, ABaseThatDoesNotSayWhatItsRowsAreIsTakenAtItsWord) {
  SavedVariables base = Base();
  base.axes = {};
  EXPECT_EQ(Outcome(Plan(base), "logits/bias"), "restored");
}

TEST(WarmStartTest, TheNameOfAModelIsNoObstacle) {
  const WarmStart plan =
      Plan(Renamed("sequential/dense/kernel", "a/b/logits/bias"));
  EXPECT_EQ(Outcome(plan, "dense/kernel"), "restored");
  EXPECT_EQ(Outcome(plan, "logits/bias"), "not in the base model");
}

TEST(WarmStartTest, OfTwoModelsNoneIsGuessed) {
  SavedVariables base = Renamed("student/dense/kernel", "logits/bias");
  base.values["teacher/dense/kernel"] = base.values.at("student/dense/kernel");
  EXPECT_EQ(Outcome(Plan(base), "dense/kernel"), "not in the base model");
  base.values["dense/kernel"] = base.values.at("student/dense/kernel");
  EXPECT_EQ(Outcome(Plan(base), "dense/kernel"), "restored");
}

TEST(WarmStartTest, ANameThatTwoVariablesHaveIsNotGuessed) {
  SavedVariables base = Base();
  base.values.erase("dense/kernel");
  base.ambiguous.insert("dense/kernel");
  EXPECT_EQ(Outcome(Plan(base), "dense/kernel"),
            "two variables of the base model have that name; warm_start_map "
            "can say which");
}

TEST(WarmStartTest, AVariableIsFoundByItsPathAmongObjects) {
  SavedVariables base = Renamed("Variable", "Variable_1");
  base.by_path["model/dense/kernel"] = base.values.at("Variable");
  EXPECT_EQ(Outcome(Plan(base), "dense/kernel"), "restored");
}

TEST(WarmStartTest, TheMapSaysWhatAVariableIsCalledThere) {
  const SavedVariables base = Renamed("first/w", "last/b");
  const auto map = ParseVariableNames(
      {"dense/kernel=first/w", "logits/bias=last/bias"}, Variables());
  ASSERT_TRUE(map.ok()) << map.status();
  const WarmStart plan =
      PlanWarmStart(Variables(), Axes({"a"}), base, "base", *map);
  EXPECT_EQ(Outcome(plan, "dense/kernel"), "restored");
  EXPECT_EQ(Outcome(plan, "logits/bias"),
            "warm_start_map says 'last/bias', which is not in the base model; "
            "did you mean 'last/b'?");
}

TEST(WarmStartTest, AMapThatMeansNothingIsRefused) {
  for (const std::string pair : {"", "dense/kernel", "=x", "dense/kernel=",
                                 "dense/kernl=x", "logits/bias=x"}) {
    const auto map =
        ParseVariableNames({"logits/bias=last/b", pair}, Variables());
    EXPECT_EQ(map.status().code(), absl::StatusCode::kInvalidArgument) << pair;
  }
}

TEST(WarmStartTest, TheReportIsAligned) {
  SavedVariables base = Base();
  base.values.erase("logits/bias");
  EXPECT_EQ(FormatWarmStart(Plan(base).report),
            "warm start from base\n"
            "  dense/kernel  restored\n"
            "  logits/bias   not restored: not in the base model\n");
}

}  // namespace
}  // namespace rekindle
