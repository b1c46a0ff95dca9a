#include "component/training/warm_start.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

// "'b' at position 1 in the base model, 'c' here"; the lists differ.
std::string FirstDifference(const std::vector<std::string>& base,
                            const std::vector<std::string>& here) {
  const auto [in_base, in_here] = std::ranges::mismatch(base, here);
  const auto quoted = [](auto at, const std::vector<std::string>& list) {
    return at == list.end() ? std::string("nothing")
                            : absl::StrCat("'", *at, "'");
  };
  return absl::StrCat(quoted(in_base, base), " at position ",
                      in_base - base.begin(), " in the base model, ",
                      quoted(in_here, here), " here");
}

// Why the rows of a variable stand for other things; empty when they do not,
// or when the base model does not say.
std::string OtherMeaning(const std::string& variable, const VariableAxes& here,
                         const VariableAxes& base) {
  const auto names = here.variables.find(variable);
  if (names == here.variables.end()) return "";
  for (const std::string& axis : names->second) {
    const auto theirs = base.axes.find(axis);
    if (theirs == base.axes.end() || theirs->second == here.axes.at(axis)) {
      continue;
    }
    return absl::StrCat("its ", axis, " differ: ",
                        FirstDifference(theirs->second, here.axes.at(axis)));
  }
  return "";
}

// Why `value` cannot be the new variable's; empty when it can.
std::string Mismatch(const VariableSpec& variable, const VariableAxes& here,
                     const Tensor& value, const VariableAxes& base) {
  if (value.dtype() != tensorflow::DT_FLOAT) {
    return absl::StrCat("type ", tensorflow::DataTypeString(value.dtype()),
                        " in the base model, float here");
  }
  if (value.shape() != variable.shape) {
    return absl::StrCat("shape ", value.shape().DebugString(),
                        " in the base model, ", variable.shape.DebugString(),
                        " here");
  }
  return OtherMeaning(variable.name, here, base);
}

}  // namespace

WarmStart PlanWarmStart(const std::vector<VariableSpec>& variables,
                        const VariableAxes& axes, const SavedVariables& base,
                        const std::string& base_model,
                        const VariableNames& renamed) {
  WarmStart plan;
  plan.report.base_model = base_model;
  for (const VariableSpec& variable : variables) {
    const VariableMatch match = MatchVariable(variable.name, renamed, base);
    const std::string reason =
        match.value == nullptr
            ? match.reason
            : Mismatch(variable, axes, *match.value, base.axes);
    if (reason.empty()) plan.restored.emplace(variable.name, *match.value);
    plan.report.variables.push_back(
        {.name = variable.name, .restored = reason.empty(), .reason = reason});
  }
  return plan;
}

std::string FormatWarmStart(const WarmStartReport& report) {
  size_t width = 0;
  for (const WarmStartVariable& variable : report.variables) {
    width = std::max(width, variable.name.size());
  }
  std::string text = absl::StrCat("warm start from ", report.base_model, "\n");
  for (const WarmStartVariable& variable : report.variables) {
    absl::StrAppendFormat(
        &text, "  %-*s  %s\n", static_cast<int>(width), variable.name,
        variable.restored ? "restored"
                          : absl::StrCat("not restored: ", variable.reason));
  }
  return text;
}

}  // namespace rekindle
