#ifndef REKINDLE_BASE_EVENT_FD_H_
#define REKINDLE_BASE_EVENT_FD_H_

#include <cstdint>
#include <unistd.h>

#include <sys/eventfd.h>

namespace rekindle {

// Something that happens once, for poll(): its descriptor is readable from then
// on. A process that has no descriptors left gets none: poll() would never see
// it happen. Thread-safe.
class EventFd {
 public:
  EventFd() : fd_(eventfd(0, EFD_CLOEXEC)) {}
  ~EventFd() {
    if (ok()) close(fd_);
  }
  EventFd(const EventFd&) = delete;
  EventFd& operator=(const EventFd&) = delete;

  // Whether there is a descriptor.
  bool ok() const { return fd_ >= 0; }
  // Never read from it.
  int fd() const { return fd_; }

  // Not const: who polls sees a change.
  // NOLINTNEXTLINE(readability-make-member-function-const)
  void Happen() {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = write(fd_, &one, sizeof(one));
  }

 private:
  const int fd_;
};

}  // namespace rekindle

#endif  // REKINDLE_BASE_EVENT_FD_H_
