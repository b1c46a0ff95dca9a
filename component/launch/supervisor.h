#ifndef REKINDLE_COMPONENT_LAUNCH_SUPERVISOR_H_
#define REKINDLE_COMPONENT_LAUNCH_SUPERVISOR_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/subprocess.h"

namespace rekindle {

// A child process to run to its end.
struct ChildSpec {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  // Each line of output, without its end, as it comes.
  std::function<void(absl::string_view line)> on_line;
  // Ask it to stop (SIGTERM) when one of these becomes readable,
  std::vector<int> stop_fds;
  // and end it (SIGKILL) when it has not stopped after this time.
  absl::Duration grace = absl::Seconds(25);
};

struct ChildEnd {
  ProcessEnd process;
  bool stopped = false;  // it was asked to stop
};

// Runs the child, passing on its output line by line. Returns when it and
// everything it started have ended.
//
//   NOT_FOUND, PERMISSION_DENIED  it cannot be started
absl::StatusOr<ChildEnd> RunChild(const ChildSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_SUPERVISOR_H_
