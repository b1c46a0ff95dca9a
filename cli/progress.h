#ifndef REKINDLE_CLI_PROGRESS_H_
#define REKINDLE_CLI_PROGRESS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace rekindle {

// How far long work has come, as one line on stderr that is written over and
// gone at the end. Only on a terminal: a log is spared. Thread-compatible.
class Progress {
 public:
  // `doing` is what the line says: "checking files".
  explicit Progress(std::string doing);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of `total`; 0 if the total is not known.
  void Update(int64_t done, int64_t total);

 private:
  const std::string doing_;
  const bool on_terminal_;
  absl::Time next_;  // no flicker
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_PROGRESS_H_
