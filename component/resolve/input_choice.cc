#include "component/resolve/input_choice.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/candidate.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using nlohmann::json;

constexpr char kPrefix[] = "input_choice_";

// A reason may quote a path, and a path may be long.
constexpr size_t kMaxReason = 400;

}  // namespace

InputChoice RecordChoice(const std::string& type_name, const ArtifactRef& ref,
                         const Resolution& resolution) {
  InputChoice choice;
  choice.type_name = type_name;
  choice.reference = ref.ToString();
  for (const ml_metadata::Artifact& artifact : resolution.chosen) {
    choice.taken.push_back(artifact.id());
  }
  choice.more_candidates = resolution.more_passed_over;
  for (const Candidate& candidate : resolution.candidates) {
    if (choice.candidates.size() == InputChoice::kMaxCandidates) {
      ++choice.more_candidates;
      continue;
    }
    choice.candidates.push_back({candidate.artifact.id(), candidate.taken,
                                 candidate.reason.substr(0, kMaxReason)});
  }
  choice.refusal = std::string(resolution.refusal.message());
  return choice;
}

std::string InputChoiceProperty(const std::string& key) {
  return absl::StrCat(kPrefix, key);
}

std::string ToJson(const InputChoice& choice) {
  json candidates = json::array();
  for (const InputChoice::Looked& looked : choice.candidates) {
    candidates.push_back({{"id", looked.id},
                          {"taken", looked.taken},
                          {"reason", looked.reason}});
  }
  json result = {{"type", choice.type_name},
                 {"reference", choice.reference},
                 {"taken", choice.taken},
                 {"candidates", std::move(candidates)},
                 {"more_candidates", choice.more_candidates}};
  if (!choice.refusal.empty()) result["refusal"] = choice.refusal;
  return result.dump(-1, ' ', /*ensure_ascii=*/false,
                     json::error_handler_t::replace);
}

absl::StatusOr<InputChoice> ParseInputChoice(const std::string& text) {
  try {
    const json parsed = json::parse(text);
    InputChoice choice;
    choice.type_name = parsed.at("type").get<std::string>();
    choice.reference = parsed.at("reference").get<std::string>();
    choice.taken = parsed.at("taken").get<std::vector<int64_t>>();
    choice.more_candidates = parsed.at("more_candidates").get<int64_t>();
    choice.refusal = parsed.value("refusal", "");
    for (const json& looked : parsed.at("candidates")) {
      choice.candidates.push_back({looked.at("id").get<int64_t>(),
                                   looked.at("taken").get<bool>(),
                                   looked.at("reason").get<std::string>()});
    }
    return choice;
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("not the record of a choice: ", error.what()));
  }
}

std::map<std::string, InputChoice> InputChoicesOf(
    const ml_metadata::Execution& execution) {
  std::map<std::string, InputChoice> choices;
  for (const auto& [name, value] : execution.custom_properties()) {
    absl::string_view key = name;
    if (!absl::ConsumePrefix(&key, kPrefix)) continue;
    absl::StatusOr<InputChoice> choice = ParseInputChoice(value.string_value());
    if (choice.ok()) choices[std::string(key)] = *std::move(choice);
  }
  return choices;
}

}  // namespace rekindle
