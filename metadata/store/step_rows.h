// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_STEP_ROWS_H_
#define REKINDLE_METADATA_STORE_STEP_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include <google/protobuf/repeated_field.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/sqlite/database.h"
#include "metadata/store/attempt_log.h"
#include "metadata/store/type_rows.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {

// What the calls of a step read and write of an execution.

// A step declares the types it knows of; a stored type may know more or less.
inline constexpr TypeEvolution kCompatible = {.can_add_fields = true,
                                              .can_omit_fields = true};

inline constexpr char kAttempts[] = "attempts";
inline constexpr char kPreparedOutputs[] = "prepared_outputs";
inline constexpr char kFailureReason[] = "failure_reason";
// What the last attempt that knew its inputs was to do, and what the one was
// that announced kPreparedOutputs.
inline constexpr char kWorkKey[] = "work_key";
inline constexpr char kPreparedWorkKey[] = "prepared_work_key";

AttemptLog AttemptsOf(const ml_metadata::Execution& execution);
void SetAttempts(const AttemptLog& attempts, ml_metadata::Execution* execution);

// The text under `name`; empty if there is none.
std::string TextProperty(const ml_metadata::Execution& execution,
                         const char* name);

// What was announced and not yet published. To announce takes note of the
// work that it is for.
std::vector<v1::PreparedOutput> PreparedOf(
    const ml_metadata::Execution& execution);
void SetPrepared(
    const google::protobuf::RepeatedPtrField<v1::PreparedOutput>& outputs,
    ml_metadata::Execution* execution);

// COMPLETE or CACHED.
bool IsFinished(const ml_metadata::Execution& execution);

// An artifact's places among the inputs or outputs of an execution. An artifact
// in two places has one event, whose path names both.
std::vector<ml_metadata::Event> EventsFor(
    const std::vector<v1::Binding>& bindings, ml_metadata::Event::Type type,
    int64_t execution_id);

// The stored events of the type, as bindings.
absl::StatusOr<std::vector<v1::Binding>> FindBindings(
    Database& db, int64_t execution_id, ml_metadata::Event::Type type);

// What the execution put out, made or found.
absl::StatusOr<std::vector<v1::Binding>> FindOutputs(Database& db,
                                                     int64_t execution_id);

// Makes the stored events of the type those of `bindings`.
absl::Status ReplaceBindings(Database& db, int64_t execution_id,
                             ml_metadata::Event::Type type,
                             const std::vector<v1::Binding>& bindings,
                             int64_t now_millis);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_STEP_ROWS_H_
