// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_PROGRESS_FILE_H_
#define REKINDLE_COMPONENT_TRAINING_PROGRESS_FILE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/time/time.h"

namespace rekindle {

// Tells how far a run is in a file, as "N/M", whole and at most once a second.
// A file that cannot be written is no reason to fail. Thread-compatible.
class ProgressFile {
 public:
  // An empty path: nobody wants to know.
  explicit ProgressFile(std::string path) : path_(std::move(path)) {}

  // Writes if it is time to.
  void Tell(int64_t done, int64_t total, absl::Time now);
  // Writes.
  void TellNow(int64_t done, int64_t total, absl::Time now);

 private:
  const std::string path_;
  absl::Time told_ = absl::InfinitePast();
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_PROGRESS_FILE_H_
