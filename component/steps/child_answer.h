#ifndef REKINDLE_COMPONENT_STEPS_CHILD_ANSWER_H_
#define REKINDLE_COMPONENT_STEPS_CHILD_ANSWER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/contract/executor_error.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Why a child failed, in its own words, with the reason attached.
absl::Status StatusOf(const ExecutorError& error);

// Whether the answer of a child that ended so is worth reading: that it was
// killed or stopped matters more than what it answered, its own words more than
// an exit code.
bool IsWorthReading(const absl::Status& ended);

// `status` of reading the answer of a child that ended well, with the reason.
absl::Status UnreadableAnswer(const absl::Status& status,
                              const std::string& child);

// The one file of a Schema or HyperParameters artifact.
//
//   FAILED_PRECONDITION  it holds none, or more than one
absl::StatusOr<std::string> OnlyFileIn(const ml_metadata::Artifact& artifact);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_CHILD_ANSWER_H_
