// Internal to base/subprocess.
#ifndef REKINDLE_BASE_PROCESS_GUARD_H_
#define REKINDLE_BASE_PROCESS_GUARD_H_

#include <sys/resource.h>
#include <sys/types.h>

namespace rekindle {

// A small process between us and a program that we start. It adopts whatever
// the program leaves behind, also processes that left its group, and ends all
// of them when the program has ended, when it is told to, or when we are gone,
// however that came. It also is the one place where all of them are accounted.
//
// Both ends talk over a socket: we send one byte for each signal to pass on;
// the guard sends GuardStarted, and GuardEnded when nothing is left. Closing
// our end ends everything.

struct GuardStarted {
  int error = 0;  // errno of a start that failed, or 0
  pid_t pid = 0;  // of the program, which leads its process group
};

struct GuardEnded {
  int status = 0;     // of the program, as wait() tells it
  rusage usage = {};  // of the program and all that came from it
};

struct GuardSpec {
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  int output_fd = -1;   // the program's two output streams
  int channel_fd = -1;  // the guard's end of the socket
};

// Becomes the guard. To be called right after fork(): uses only what is safe
// there.
[[noreturn]] void RunGuard(const GuardSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_BASE_PROCESS_GUARD_H_
