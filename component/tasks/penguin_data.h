// Internal to component/tasks.
#ifndef REKINDLE_COMPONENT_TASKS_PENGUIN_DATA_H_
#define REKINDLE_COMPONENT_TASKS_PENGUIN_DATA_H_

#include <string>

#include "absl/status/statusor.h"

namespace rekindle {

// Files of a small data set to try things out with: 344 penguins, every third
// of them for evaluation.
struct PenguinFiles {
  std::string train;   // TFRecord
  std::string eval;    // TFRecord
  std::string schema;  // text
};

// Writes them into `folder`, which is made; the same bytes every time.
//
//   UNAVAILABLE  the folder is full or not writable
absl::StatusOr<PenguinFiles> WritePenguins(const std::string& folder);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_PENGUIN_DATA_H_
