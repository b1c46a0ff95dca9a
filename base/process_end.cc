#include "base/process_end.h"

#include <cstdint>

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

namespace rekindle {
namespace {

double Seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

}  // namespace

ProcessEnd ToProcessEnd(int status, const rusage& usage) {
  ProcessEnd end;
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  end.peak_rss_bytes = int64_t{usage.ru_maxrss} * 1024;
  end.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  return end;
}

}  // namespace rekindle
