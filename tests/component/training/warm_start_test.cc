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
