#ifndef REKINDLE_BASE_UNIQUE_FD_H_
#define REKINDLE_BASE_UNIQUE_FD_H_

#include <unistd.h>
#include <utility>

namespace rekindle {

// Owns a file descriptor and closes it; holds none if it is negative.
// Thread-compatible.
class UniqueFd {
 public:
  explicit UniqueFd(int fd = -1) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }

  // Hands it on: the caller closes it.
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    const int old = std::exchange(fd_, fd);
    if (old >= 0) close(old);
  }

 private:
  int fd_;
};

}  // namespace rekindle

#endif  // REKINDLE_BASE_UNIQUE_FD_H_
