#ifndef REKINDLE_CLI_METADATA_INPUT_CHOICES_H_
#define REKINDLE_CLI_METADATA_INPUT_CHOICES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/resolve/candidate.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// What an execution took under one key.
struct InputChoice {
  std::string key;                            // "base_model"
  std::vector<ml_metadata::Artifact> chosen;  // empty: it went without
  // Newer artifacts of the type in the same pipeline that it could have taken,
  // newest first. Executions do not record them: they are judged anew, as they
  // are now.
  std::vector<Candidate> passed_over;
};

struct ExecutionChoices {
  ml_metadata::Execution execution;
  std::vector<InputChoice> inputs;
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
