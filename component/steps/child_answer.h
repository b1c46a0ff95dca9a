#ifndef REKINDLE_COMPONENT_STEPS_CHILD_ANSWER_H_
#define REKINDLE_COMPONENT_STEPS_CHILD_ANSWER_H_

#include <string>

#include "absl/status/status.h"
#include "component/contract/executor_error.h"

namespace rekindle {

// What to tell whoever named a trainer that cannot be started.
inline constexpr char kNamesTrainer[] =
    "--trainer or REKINDLE_TRAINER names the program; in a container, use the "
    "image rekindle:trainer";

// Why a child failed, in its own words, with the reason attached.
absl::Status StatusOf(const ExecutorError& error);

// Whether the answer of a child that ended so is worth reading: that it was
// killed or stopped matters more than what it answered, its own words more than
// an exit code.
bool IsWorthReading(const absl::Status& ended);

// `status` of reading the answer of a child that ended well, with the reason.
absl::Status UnreadableAnswer(const absl::Status& status,
                              const std::string& child);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_CHILD_ANSWER_H_
