#ifndef REKINDLE_OPERATOR_PROCESS_PROCESS_HOST_H_
#define REKINDLE_OPERATOR_PROCESS_PROCESS_HOST_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <sys/types.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/process_end.h"
#include "operator/process/process_spec.h"

namespace rekindle::argo {

struct HostReply;
struct HostRequest;

// How a process went.
struct ProcessReport {
  uint64_t id = 0;
  absl::Status start_error;      // not OK: it never ran
  bool view_refused = false;     // because it could not get a view of its own
  bool program_missing = false;  // because there is no such program
  ProcessEnd end;
  std::string output;  // of its first stream, if captured
};

// Starts many processes and tells how each ended. One process of ours stands
// between us and all of them: it adopts whatever they leave behind, and ends
// everything when this is destroyed or when we die, by whatever signal. What a
// process leaves running in its own group ends with it.
//
// Only the destructor waits for processes: poll fd(), then call Collect(). To
// be made while this program has one thread. Thread-compatible.
class ProcessHost {
 public:
  static absl::StatusOr<std::unique_ptr<ProcessHost>> Start();
  ~ProcessHost();
  ProcessHost(const ProcessHost&) = delete;
  ProcessHost& operator=(const ProcessHost&) = delete;

  // Readable when Collect() has something to do.
  int fd() const { return epoll_fd_; }

  // Starts a process. Of what it writes to its first stream, if captured, the
  // first 256 KiB are kept.
  //
  //   UNAVAILABLE       the process between us was killed
  //   INVALID_ARGUMENT  a string of the spec has a NUL byte
  absl::Status Run(uint64_t id, const ProcessSpec& spec);

  // Signals the process and its group, if it still runs.
  void Signal(uint64_t id, int signal);

  // The processes that ended since the last call; UNAVAILABLE as above.
  absl::StatusOr<std::deque<ProcessReport>> Collect();

  size_t running() const { return running_.size(); }

 private:
  struct Running {
    std::string program;
    std::string folder;
    std::vector<Bind> binds;
    int output_fd = -1;
    int log_fd = -1;
    std::string output;
  };

  ProcessHost(pid_t pid, int channel_fd, int epoll_fd)
      : pid_(pid), channel_fd_(channel_fd), epoll_fd_(epoll_fd) {}

  absl::Status Send(const HostRequest& request, absl::string_view payload,
                    const std::vector<int>& fds);
  absl::Status Receive();
  void Take(const HostReply& reply);
  // Reads what a captured stream holds; false at its end.
  bool ReadOutput(Running& running);
  void CloseOutput(Running& running);

  const pid_t pid_;
  const int channel_fd_;
  const int epoll_fd_;
  std::map<uint64_t, Running> running_;
  std::deque<ProcessReport> ended_;
  std::string received_;  // the beginning of a reply
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PROCESS_PROCESS_HOST_H_
