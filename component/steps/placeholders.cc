#include "component/steps/placeholders.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "component/launch/failure.h"
#include "component/steps/typed_values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;

const std::vector<std::string>& StepNames() {
  static const auto& names = *new std::vector<std::string>{
      "execution_id", "node_id", "pipeline", "run_id", "state_dir"};
  return names;
}

struct Delimiters {
  absl::string_view open;
  absl::string_view close;
};
constexpr std::array<Delimiters, 2> kDelimiters = {{{"{{", "}}"}, {"%{", "}"}}};

// Replaces every placeholder in `text` by what `value_of` says of the words
// between its delimiters.
absl::StatusOr<std::string> Replace(
    absl::string_view text,
    const std::function<absl::StatusOr<std::string>(const std::string&)>&
        value_of) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const absl::string_view rest = text.substr(at);
    const auto* delimiters = std::find_if(
        kDelimiters.begin(), kDelimiters.end(),
        [rest](const Delimiters& d) { return absl::StartsWith(rest, d.open); });
    if (delimiters == kDelimiters.end()) {
      result.push_back(text[at++]);
      continue;
    }
    const size_t start = delimiters->open.size();
    const size_t end = rest.find(delimiters->close, start);
    if (end == absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", rest, "' begins a placeholder that has no '",
                       delimiters->close, "'"));
    }
    RK_ASSIGN_OR_RETURN(const std::string value,
                        value_of(std::string(absl::StripAsciiWhitespace(
                            rest.substr(start, end - start)))));
    absl::StrAppend(&result, value);
    at += end + delimiters->close.size();
  }
  return result;
}

// "inputs.data.properties.num.train": three words and what is left.
struct Words {
  std::string group;   // "inputs"
  std::string key;     // "data"
  std::string field;   // "properties"
  std::string detail;  // "num.train"; names of properties may hold dots
};

Words SplitWords(const std::string& placeholder) {
  const std::vector<std::string> parts =
      absl::StrSplit(placeholder, absl::MaxSplits('.', 3));
  const auto part = [&parts](size_t i) {
    return i < parts.size() ? parts[i] : std::string();
  };
  return {part(0), part(1), part(2), part(3)};
}

absl::Status Unknown(const std::string& placeholder,
                     const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = NearestName(placeholder, known);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown placeholder {{", placeholder, "}}; ",
      nearest.has_value()
          ? absl::StrCat("did you mean {{", *nearest, "}}?")
          : absl::StrCat("known are: ", absl::StrJoin(known, ", "))));
}

// Every placeholder that can be named before the step runs, NAME for what only
// the artifact knows.
std::vector<std::string> AllPlaceholders(const PlaceholderNames& names) {
  std::vector<std::string> all = StepNames();
  for (const std::string& key : names.inputs) {
    for (const char* field : {"uri", "uris", "uris.0", "id"}) {
      all.push_back(absl::StrCat("inputs.", key, ".", field));
    }
    all.push_back(absl::StrCat("inputs.", key, ".properties.NAME"));
  }
  for (const std::string& key : names.outputs) {
    all.push_back(absl::StrCat("outputs.", key, ".uri"));
  }
  for (const std::string& name : names.parameters) {
    all.push_back(absl::StrCat("parameters.", name));
  }
  return all;
}

bool IsIndex(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

bool IsKnown(const std::string& placeholder, const PlaceholderNames& names) {
  const std::vector<std::string> all = AllPlaceholders(names);
  if (std::find(all.begin(), all.end(), placeholder) != all.end()) return true;
  const Words words = SplitWords(placeholder);
  if (words.group != "inputs" ||
      std::find(names.inputs.begin(), names.inputs.end(), words.key) ==
          names.inputs.end()) {
    return false;
  }
  return (words.field == "properties" && !words.detail.empty()) ||
         (words.field == "uris" && IsIndex(words.detail));
}

absl::Status Unfillable(const std::string& key, const std::string& why) {
  return WithReason(
      FailureReason::kInputUnusable,
      absl::FailedPreconditionError(absl::StrCat("input '", key, "': ", why)));
}

absl::StatusOr<std::string> PropertyOf(const Artifact& artifact,
                                       const Words& words) {
  std::vector<std::string> known;
  for (const auto* properties :
       {&artifact.properties(), &artifact.custom_properties()}) {
    const auto found = properties->find(words.detail);
    if (found != properties->end()) return ValueToText(found->second);
    for (const auto& [name, value] : *properties) known.push_back(name);
  }
  std::sort(known.begin(), known.end());
  return Unfillable(
      words.key,
      absl::StrCat("artifact ", artifact.id(), " has no property '",
                   words.detail, "'; it has: ", absl::StrJoin(known, ", ")));
}

absl::StatusOr<std::string> UriOf(const std::vector<Artifact>& artifacts,
                                  const Words& words) {
  size_t index = 0;
  if (!absl::SimpleAtoi(words.detail, &index) || index >= artifacts.size()) {
    return Unfillable(
        words.key, absl::StrCat("it has no artifact ", words.detail, ", only ",
                                artifacts.size()));
  }
  return artifacts[index].uri();
}

absl::StatusOr<std::string> InputValue(const Words& words,
                                       const PlaceholderValues& values) {
  const auto found = values.inputs.find(words.key);
  if (found == values.inputs.end() || found->second.empty()) {
    return Unfillable(words.key, "it has no artifact");
  }
  const std::vector<Artifact>& artifacts = found->second;
  if (words.field == "uri") return artifacts.front().uri();
  if (words.field == "id") return absl::StrCat(artifacts.front().id());
  if (words.field == "properties") return PropertyOf(artifacts.front(), words);
  if (!words.detail.empty()) return UriOf(artifacts, words);
  return absl::StrJoin(artifacts, ",",
                       [](std::string* out, const Artifact& artifact) {
                         out->append(artifact.uri());
                       });
}

}  // namespace

absl::Status CheckPlaceholders(const std::string& text,
                               const PlaceholderNames& names) {
  return Replace(text,
                 [&](const std::string& name) -> absl::StatusOr<std::string> {
                   if (IsKnown(name, names)) return "";
                   return Unknown(name, AllPlaceholders(names));
                 })
      .status();
}

bool UsesPlaceholder(const std::vector<std::string>& texts,
                     absl::string_view name) {
  bool used = false;
  for (const std::string& text : texts) {
    Replace(text, [&](const std::string& found) -> absl::StatusOr<std::string> {
      used = used || found == name;
      return "";
    }).IgnoreError();
  }
  return used;
}

absl::StatusOr<std::string> FillPlaceholders(const std::string& text,
                                             const PlaceholderValues& values) {
  return Replace(text,
                 [&](const std::string& name) -> absl::StatusOr<std::string> {
                   const Words words = SplitWords(name);
                   if (words.group == "inputs")
                     return InputValue(words, values);
                   if (words.group == "outputs")
                     return values.outputs.at(words.key);
                   if (words.group == "parameters")
                     return values.parameters.at(words.key);
                   return values.step.at(words.group);
                 });
}

}  // namespace rekindle
