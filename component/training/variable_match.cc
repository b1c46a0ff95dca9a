#include "component/training/variable_match.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/nearest_name.h"
#include "rekindle/training/tensors.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

std::string DidYouMean(const std::string& typed,
                       const std::vector<std::string>& names) {
  const std::optional<std::string> nearest = NearestName(typed, names);
  return nearest.has_value() ? absl::StrCat("; did you mean '", *nearest, "'?")
                             : "";
}

std::vector<std::string> NamesOf(const NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, value] : tensors) names.push_back(name);
  return names;
}

// Whether `full` is `name` behind the name of a model.
bool IsBehindModel(absl::string_view full, absl::string_view name) {
  const size_t slash = full.find('/');
  return slash != absl::string_view::npos && full.substr(slash + 1) == name;
}

const Tensor* FindOnly(const NamedTensors& tensors, const std::string& name) {
  const auto exact = tensors.find(name);
  if (exact != tensors.end()) return &exact->second;
  const Tensor* only = nullptr;
  for (const auto& [full, value] : tensors) {
    if (!IsBehindModel(full, name)) continue;
    if (only != nullptr) return nullptr;
    only = &value;
  }
  return only;
}

VariableMatch FindRenamed(const std::string& name, const SavedVariables& base) {
  for (const NamedTensors* tensors : {&base.values, &base.by_path}) {
    const auto found = tensors->find(name);
    if (found != tensors->end()) return {&found->second, ""};
  }
  return {nullptr, absl::StrCat("warm_start_map says '", name,
                                "', which is not in the base model",
                                DidYouMean(name, NamesOf(base.values)))};
}

}  // namespace

absl::StatusOr<VariableNames> ParseVariableNames(
    const std::vector<std::string>& pairs,
    const std::vector<VariableSpec>& variables) {
  std::vector<std::string> ours;
  for (const VariableSpec& variable : variables) ours.push_back(variable.name);
  VariableNames names;
  for (const std::string& pair : pairs) {
    const std::pair<std::string, std::string> split =
        absl::StrSplit(pair, absl::MaxSplits('=', 1));
    if (split.first.empty() || split.second.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "warm_start_map has '", pair, "', expected OURS=THEIRS"));
    }
    if (std::ranges::find(ours, split.first) == ours.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("warm_start_map names '", split.first,
                       "', which is no variable of this model",
                       DidYouMean(split.first, ours)));
    }
    if (!names.insert(split).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("warm_start_map names '", split.first, "' twice"));
    }
  }
  return names;
}

VariableMatch MatchVariable(const std::string& name,
                            const VariableNames& renamed,
                            const SavedVariables& base) {
  const auto theirs = renamed.find(name);
  if (theirs != renamed.end()) return FindRenamed(theirs->second, base);
  if (base.ambiguous.contains(name)) {
    return {nullptr,
            "two variables of the base model have that name; warm_start_map "
            "can say which"};
  }
  for (const NamedTensors* tensors : {&base.values, &base.by_path}) {
    const Tensor* found = FindOnly(*tensors, name);
    if (found != nullptr) return {found, ""};
  }
  return {nullptr, "not in the base model"};
}

}  // namespace rekindle
