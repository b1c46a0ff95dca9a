#ifndef REKINDLE_COMPONENT_CONTRACT_EXECUTOR_ERROR_H_
#define REKINDLE_COMPONENT_CONTRACT_EXECUTOR_ERROR_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// Under this name an error may carry the one-word reason below as a payload.
inline constexpr char kReasonPayload[] = "rekindle/failure_reason";

// `status`, which is not OK, with that word.
absl::Status WithReasonWord(absl::string_view reason, absl::Status status);

// Why an executor failed, as canonical code and one sentence.
struct ExecutorError {
  int code = 0;  // absl::StatusCode
  std::string message;
  // One word of docs/failures.md; empty: what the code suggests.
  std::string reason;

  bool operator==(const ExecutorError&) const = default;
};

// `status`, which is not OK, as an answer, in one line.
ExecutorError MakeExecutorError(const absl::Status& status);

// An object, or null without an error.
nlohmann::json ToJson(const std::optional<ExecutorError>& error);

// INVALID_ARGUMENT  a key is unknown, missing or of the wrong type
absl::Status ParseExecutorError(const nlohmann::json& json,
                                std::optional<ExecutorError>* error);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_EXECUTOR_ERROR_H_
