#include "cli/step_inputs.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

// Keys name folders and variables, and stand between dots.
bool IsKey(absl::string_view text) {
  return !text.empty() && !absl::ascii_isdigit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) {
                       return absl::ascii_isalnum(c) || c == '_' || c == '-';
                     }) &&
         // TFX keeps names of the latter kind for itself.
         text.front() != '-' && !absl::StartsWith(text, "__");
}

// "key=rest".
absl::StatusOr<std::pair<std::string, std::string>> SplitAtEquals(
    absl::string_view flag, const std::string& text,
    absl::string_view expected) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag, ": '", text, "' has no '='; expected ", expected));
  }
  const std::string key = text.substr(0, equals);
  if (!IsKey(key)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, ": '", key,
                     "' cannot be a name; use letters, digits, '_' and '-', "
                     "beginning with a letter"));
  }
  return std::pair(key, text.substr(equals + 1));
}

}  // namespace

absl::StatusOr<ml_metadata::ArtifactType> ArtifactTypeNamed(
    absl::string_view flag, const std::string& name) {
  if (name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, ": the type has no name"));
  }
  if (auto standard = StandardArtifactType(name)) return *standard;
  for (const std::string& other : StandardArtifactTypeNames()) {
    if (!absl::EqualsIgnoreCase(other, name)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag, ": there is no type '", name, "'; did you mean ", other,
        "? A type of your own must differ by more than case"));
  }
  ml_metadata::ArtifactType type;
  type.set_name(name);
  return type;
}

absl::StatusOr<InputSpec> ParseInputFlag(const std::string& text) {
  constexpr absl::string_view kExpected =
      "KEY=TYPE:REF, as data=Examples:latest";
  RK_ASSIGN_OR_RETURN(const auto halves,
                      SplitAtEquals("input", text, kExpected));
  const auto& [key, rest] = halves;
  const size_t colon = rest.find(':');
  if (colon == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--input: '", text, "' names no reference; expected ", kExpected));
  }
  InputSpec input;
  input.key = key;
  input.type_name = rest.substr(0, colon);
  input.typed_by_user = true;
  RK_RETURN_IF_ERROR(ArtifactTypeNamed("input", input.type_name).status());
  absl::StatusOr<ArtifactRef> ref = ParseArtifactRef(rest.substr(colon + 1));
  if (!ref.ok()) {
    return WithContext(ref.status(), absl::StrCat("--input ", key));
  }
  input.ref = *std::move(ref);
  return input;
}

absl::Status AddExtraInputs(const std::vector<std::string>& texts,
                            StepSpec& spec) {
  for (const std::string& text : texts) {
    RK_ASSIGN_OR_RETURN(InputSpec input, ParseInputFlag(text));
    const bool taken = std::any_of(
        spec.inputs.begin(), spec.inputs.end(),
        [&input](const InputSpec& other) { return other.key == input.key; });
    if (taken) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--input: '", input.key,
          "' is an input already; give it once, a step's own as --",
          absl::StrReplaceAll(input.key, {{"_", "-"}}), "=REF"));
    }
    spec.inputs.push_back(std::move(input));
  }
  return absl::OkStatus();
}

absl::StatusOr<OutputSpec> ParseOutputFlag(const std::string& text) {
  RK_ASSIGN_OR_RETURN(
      const auto halves,
      SplitAtEquals("output", text, "KEY=TYPE, as report=Metrics"));
  OutputSpec output;
  output.key = halves.first;
  RK_ASSIGN_OR_RETURN(output.type, ArtifactTypeNamed("output", halves.second));
  return output;
}

absl::StatusOr<std::map<std::string, std::string>> ParseNamedValues(
    absl::string_view flag, const std::vector<std::string>& texts) {
  std::map<std::string, std::string> values;
  for (const std::string& text : texts) {
    RK_ASSIGN_OR_RETURN(const auto halves,
                        SplitAtEquals(flag, text, "NAME=VALUE"));
    if (!values.insert(halves).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, ": '", halves.first, "' is given twice"));
    }
  }
  return values;
}

}  // namespace rekindle
