#ifndef REKINDLE_BASE_SUBPROCESS_H_
#define REKINDLE_BASE_SUBPROCESS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "absl/status/statusor.h"
#include "base/process_end.h"

namespace rekindle {

// A child process in a process group of its own, so that a signal from the
// terminal reaches us and not it, and a signal from us reaches its children
// too. Its output, both streams, is read from output_fd(). Nothing of it is
// left running: not when it ends, when this is destroyed, or when our own
// process dies, by whatever signal. A guard process between us and it sees to
// that, also for descendants that left its process group. Thread-compatible.
class Subprocess {
 public:
  // Starts `argv`, found in PATH, with `environment` added to ours.
  //
  //   NOT_FOUND          there is no such program
  //   PERMISSION_DENIED  it cannot be executed
  static absl::StatusOr<std::unique_ptr<Subprocess>> Start(
      const std::vector<std::string>& argv,
      const std::map<std::string, std::string>& environment = {});

  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  pid_t pid() const { return pid_; }
  // Readable when there is output; at its end when all writers are gone.
  int output_fd() const { return output_fd_; }
  // Readable when the process and all that came from it have ended; for poll().
  int exit_fd() const { return channel_fd_; }

  // Signals the whole process group.
  void Signal(int signal) const;

  // Waits for the end, once; later calls answer the same.
  ProcessEnd Wait();

 private:
  Subprocess(pid_t guard_pid, int channel_fd, int output_fd)
      : guard_pid_(guard_pid), channel_fd_(channel_fd), output_fd_(output_fd) {}

  const pid_t guard_pid_;
  const int channel_fd_;
  const int output_fd_;
  pid_t pid_ = 0;  // 0 if it did not start
  bool ended_ = false;
  ProcessEnd end_;
};

}  // namespace rekindle

#endif  // REKINDLE_BASE_SUBPROCESS_H_
