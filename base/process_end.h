#ifndef REKINDLE_BASE_PROCESS_END_H_
#define REKINDLE_BASE_PROCESS_END_H_

#include <cstdint>

#include <sys/resource.h>

namespace rekindle {

// How a process ended, and what it used.
struct ProcessEnd {
  int exit_code = 0;  // meaningful when `signal` is 0
  int signal = 0;
  // Of the process and all that came from it: the largest of them, and their
  // sum.
  int64_t peak_rss_bytes = 0;
  double cpu_seconds = 0;

  bool ok() const { return exit_code == 0 && signal == 0; }
};

// `status` and `usage` are as wait4() gives them.
ProcessEnd ToProcessEnd(int status, const rusage& usage);

}  // namespace rekindle

#endif  // REKINDLE_BASE_PROCESS_END_H_
