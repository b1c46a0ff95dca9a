#ifndef REKINDLE_BASE_CANCELLATION_H_
#define REKINDLE_BASE_CANCELLATION_H_

#include "absl/time/time.h"

namespace rekindle {

// Whether this process was asked to stop, by SIGINT or SIGTERM. One per
// process, because signals are. Thread-safe.
class Cancellation {
 public:
  // Installs the handlers on first use; without them a signal ends the process
  // as usual.
  static Cancellation& Get();

  // The signal that asked, or 0. A second signal replaces the first.
  int signal() const;
  // How often it was asked: a person who presses Ctrl-C twice is in a hurry.
  int count() const;
  // Readable once asked; for poll(). Never read from it.
  int fd() const { return read_fd_; }
  // The same, once asked a second time.
  int hurry_fd() const { return hurry_read_fd_; }

 private:
  Cancellation();

  int read_fd_ = -1;
  int hurry_read_fd_ = -1;
};

// Waits, but not once the descriptor is readable. False when it is.
bool SleepUnlessReadable(int fd, absl::Duration duration);

}  // namespace rekindle

#endif  // REKINDLE_BASE_CANCELLATION_H_
