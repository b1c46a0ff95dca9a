#ifndef REKINDLE_CLI_METADATA_INPUT_CHOICES_H_
#define REKINDLE_CLI_METADATA_INPUT_CHOICES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/resolve/input_choice.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// What an execution took under one key, and what it did not take.
struct ExplainedInput {
  std::string key;  // "base_model"
  // As the execution recorded it when it was claimed. Other programs record
  // none: then newer artifacts of the type in the same pipeline that it could
  // have taken, newest first, judged as they are now.
  InputChoice choice;
  bool recorded = false;
  // Those of the choice that are still stored, by id.
  std::map<int64_t, ml_metadata::Artifact> artifacts;
};

struct ExecutionChoices {
  ml_metadata::Execution execution;
  std::vector<ExplainedInput> inputs;
};

// The inputs of an execution, or the one under `key` if that is not empty.
//
//   NOT_FOUND  no such execution, or it has no such input; names those it has
absl::StatusOr<ExecutionChoices> FindInputChoices(int64_t execution_id,
                                                  const std::string& key,
                                                  const MetadataStore& store);

std::string ChoicesToText(const std::vector<ExecutionChoices>& choices);
nlohmann::json ChoicesToJson(const std::vector<ExecutionChoices>& choices);

}  // namespace rekindle

#endif  // REKINDLE_CLI_METADATA_INPUT_CHOICES_H_
