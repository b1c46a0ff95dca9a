// Internal to component/strategies/local_workers.
#ifndef REKINDLE_COMPONENT_STRATEGIES_WORKER_PROCESS_H_
#define REKINDLE_COMPONENT_STRATEGIES_WORKER_PROCESS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "absl/status/statusor.h"

namespace rekindle {

// A child process in a process group of its own. It dies with us. If it has a
// mark, its output, both streams, is ours with the mark before each line.
// Thread-compatible.
class WorkerProcess {
 public:
  // Starts `argv` with TF_CONFIG set to `tf_config`.
  //
  //   UNAVAILABLE  it cannot be started
  static absl::StatusOr<std::unique_ptr<WorkerProcess>> Start(
      const std::vector<std::string>& argv, const std::string& tf_config,
      const std::string& mark);

  // Kills it if it still runs.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Readable when there is output; -1 when there will be none.
  int output_fd() const { return output_fd_; }
  // Prints what it has put out.
  void RelayOutput();

  void Signal(int signal) const;

  // Whether it has ended; looks, and does not wait.
  bool HasEnded();
  // The exit code, or 128 + n after signal n. It must have ended.
  int exit_code() const { return *exit_code_; }

 private:
  WorkerProcess(pid_t pid, int output_fd, std::string mark);

  void PrintLines(const std::string& text);
  void CloseOutput();

  const pid_t pid_;
  int output_fd_;
  const std::string mark_;
  std::string line_;  // of which the end has not come yet
  std::optional<int> exit_code_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_WORKER_PROCESS_H_
