#ifndef REKINDLE_COMPONENT_RESOLVE_INPUT_CHOICE_H_
#define REKINDLE_COMPONENT_RESOLVE_INPUT_CHOICE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/candidate.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// How an input was chosen, as it is kept with the execution: what was asked
// for, what was taken, and what was looked at, judged as it was then.
struct InputChoice {
  struct Looked {
    int64_t id = 0;
    bool taken = false;
    std::string reason;
    bool operator==(const Looked&) const = default;
  };
  // How many candidates are kept.
  static constexpr size_t kMaxCandidates = 50;

  std::string type_name;
  std::string reference;       // as ArtifactRef::ToString
  std::vector<int64_t> taken;  // in the order of their index
  std::vector<Looked> candidates;
  int64_t more_candidates = 0;  // that were looked at and are not kept
  std::string refusal;          // why the reference could not be met, if so

  bool operator==(const InputChoice&) const = default;
};

InputChoice RecordChoice(const std::string& type_name, const ArtifactRef& ref,
                         const Resolution& resolution);

// The custom property of an execution that holds the choice under `key`:
// "input_choice_base_model".
std::string InputChoiceProperty(const std::string& key);

// Parse(ToJson(choice)) == choice, but for bytes that are not UTF-8.
//
//   INVALID_ARGUMENT  not the JSON of a choice
std::string ToJson(const InputChoice& choice);
absl::StatusOr<InputChoice> ParseInputChoice(const std::string& text);

// The choices that were recorded with an execution, by key. A property that
// cannot be read, as somebody else may have written it, is left out.
std::map<std::string, InputChoice> InputChoicesOf(
    const ml_metadata::Execution& execution);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_INPUT_CHOICE_H_
