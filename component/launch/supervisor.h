#ifndef REKINDLE_COMPONENT_LAUNCH_SUPERVISOR_H_
#define REKINDLE_COMPONENT_LAUNCH_SUPERVISOR_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/subprocess.h"

namespace rekindle {

// A longer line is cut, and says so: nothing that a child prints can fill the
// memory.
inline constexpr size_t kLongestLine = 16 << 10;

// A child process to run to its end.
struct ChildSpec {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  // Each line of output, without its end, as it comes.
  std::function<void(absl::string_view line)> on_line;
  // Is called about once a second; for whoever has something to look after.
  std::function<void()> on_tick = [] {};

  // Ask it to stop (SIGTERM) when one of these becomes readable,
  std::vector<int> stop_fds;
  // or at this time,
  absl::Time stop_at = absl::InfiniteFuture();
  // and end it (SIGKILL) when it has not stopped after this time,
  absl::Duration grace = absl::Seconds(25);
  // or at once when one of these becomes readable.
  std::vector<int> kill_fds;
};

// Why a child was asked to stop.
enum class StopCause { kNone, kAsked, kTime };

struct ChildEnd {
  ProcessEnd process;
  StopCause stop_cause = StopCause::kNone;
};

// Runs the child, passing on its output line by line. Returns when it and
// everything it started have ended.
//
//   NOT_FOUND, PERMISSION_DENIED  it cannot be started
absl::StatusOr<ChildEnd> RunChild(const ChildSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_SUPERVISOR_H_
