#ifndef REKINDLE_COMPONENT_LAUNCH_ATTEMPTS_H_
#define REKINDLE_COMPONENT_LAUNCH_ATTEMPTS_H_

#include <cstdint>
#include <string>

#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// The custom property of an execution that says what the last attempt that knew
// its inputs was to do: the key of its work.
inline constexpr char kWorkKeyProperty[] = "work_key";

// What the store knows of an attempt at an execution.
struct Attempt {
  int64_t number = 0;  // 0: other writers' executions have none
  std::string owner;
  std::string node_dir;
  std::string store_id;
};

// The last one, which the execution's custom property `attempts` names.
Attempt LastAttempt(const ml_metadata::Execution& execution);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_ATTEMPTS_H_
