#include "component/contract/executor_error.h"

#include <cstdint>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "component/contract/json_fields.h"

namespace rekindle {

absl::Status WithReasonWord(absl::string_view reason, absl::Status status) {
  status.SetPayload(kReasonPayload, absl::Cord(reason));
  return status;
}

ExecutorError MakeExecutorError(const absl::Status& status) {
  const auto reason = status.GetPayload(kReasonPayload);
  return {.code = static_cast<int>(status.code()),
          // TensorFlow ends its messages with lines about nodes of its graph.
          .message =
              absl::StrReplaceAll(status.message(), {{"\n", " "}, {"\t", " "}}),
          .reason = reason.has_value() ? std::string(*reason) : ""};
}

nlohmann::json ToJson(const std::optional<ExecutorError>& error) {
  if (!error.has_value()) return nullptr;
  nlohmann::json json = {{"code", error->code}, {"message", error->message}};
  if (!error->reason.empty()) json["reason"] = error->reason;
  return json;
}

absl::Status ParseExecutorError(const nlohmann::json& json,
                                std::optional<ExecutorError>* error) {
  int64_t code = 0;
  ExecutorError parsed;
  JsonFields fields(json, "error");
  fields.Read("code", &code);
  fields.Read("message", &parsed.message);
  fields.ReadOptional("reason", [&parsed](const nlohmann::json& value) {
    if (!value.is_string()) {
      return absl::InvalidArgumentError("expected a string");
    }
    parsed.reason = value.get<std::string>();
    return absl::OkStatus();
  });
  RK_RETURN_IF_ERROR(fields.Finish());
  if (code < 1 || code > 16) {
    return absl::InvalidArgumentError(
        "key 'code' is not an error of absl::StatusCode (1 to 16)");
  }
  parsed.code = static_cast<int>(code);
  *error = std::move(parsed);
  return absl::OkStatus();
}

}  // namespace rekindle
