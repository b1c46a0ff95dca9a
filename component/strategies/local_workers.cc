#include "component/strategies/local_workers.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/signalfd.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/strategies/host_port.h"
#include "component/strategies/tf_config.h"
#include "component/strategies/worker_process.h"

namespace rekindle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTemporaryFailure = 75;
constexpr int kExitSignalBase = 128;

// How long the others may take to end by themselves where they have a reason
// to: the job is done, or the chief is to say what failed.
constexpr auto kGrace = std::chrono::seconds(10);

// Signals, as something to read.
class SignalReader {
 public:
  SignalReader() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
    fd_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  }
  ~SignalReader() {
    close(fd_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalReader(const SignalReader&) = delete;
  SignalReader& operator=(const SignalReader&) = delete;

  int fd() const { return fd_; }

  // The next SIGTERM or SIGINT that came; 0: none. Never waits.
  int NextStop() {
    signalfd_siginfo info;
    while (read(fd_, &info, sizeof(info)) == sizeof(info)) {
      if (info.ssi_signo != SIGCHLD) return static_cast<int>(info.ssi_signo);
    }
    return 0;
  }

 private:
  sigset_t before_;
  int fd_ = -1;
};

bool MayHelpToRetry(int exit_code) {
  return exit_code == kTemporaryFailure || exit_code > kExitSignalBase;
}

std::string HowItEnded(size_t worker, int exit_code) {
  return exit_code > kExitSignalBase
             ? absl::StrCat("worker ", worker, " was ended by signal ",
                            exit_code - kExitSignalBase)
             : absl::StrCat("worker ", worker, " ended with exit code ",
                            exit_code);
}

absl::StatusOr<Cluster> LoopbackCluster(int workers) {
  RK_ASSIGN_OR_RETURN(const std::vector<int> ports, FreeLoopbackPorts(workers));
  Cluster cluster;
  for (const int port : ports) {
    cluster.workers.push_back(absl::StrCat("127.0.0.1:", port));
  }
  return cluster;
}

// One life of the job, from the start of its workers to the end of the last.
class Attempt {
 public:
  explicit Attempt(SignalReader& signals) : signals_(signals) {}

  absl::Status Start(const LocalWorkers& job) {
    RK_ASSIGN_OR_RETURN(Cluster cluster, LoopbackCluster(job.workers));
    for (int i = 0; i < job.workers; ++i) {
      cluster.worker = i;
      const std::string mark = i == 0 ? "" : absl::StrCat("[worker ", i, "] ");
      RK_ASSIGN_OR_RETURN(
          workers_.emplace_back(),
          WorkerProcess::Start(job.argv, MakeTfConfig(cluster), mark));
    }
    return absl::OkStatus();
  }

  // Returns the exit code of the job.
  int Run() {
    while (!Look()) Wait();
    return exit_code_;
  }

  // Whether somebody asked to stop.
  bool stopped() const { return stopped_; }

 private:
  void Wait() {
    std::vector<pollfd> polled = {{signals_.fd(), POLLIN, 0}};
    for (const auto& worker : workers_) {
      polled.push_back({worker->output_fd(), POLLIN, 0});
    }
    poll(polled.data(), polled.size(), MillisToKill());
    for (const auto& worker : workers_) worker->RelayOutput();
    if (const int signal = signals_.NextStop()) {
      stopped_ = true;
      workers_.front()->Signal(signal);
    }
  }

  int MillisToKill() const {
    if (!decided_) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(kill_at_ - Clock::now());
    return static_cast<int>(std::max<int64_t>(left.count(), 0));
  }

  // Takes note of who has ended; true when all have.
  bool Look() {
    bool all = true;
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (!workers_[i]->HasEnded()) {
        all = false;
      } else if (!decided_) {
        Judge(i, workers_[i]->exit_code());
      }
    }
    if (decided_ && Clock::now() >= kill_at_) {
      for (const auto& worker : workers_) worker->Signal(SIGKILL);
    }
    return all;
  }

  // The first one that fails, or the chief, decides how the job ends. Another
  // that has done its part early decides nothing.
  void Judge(size_t worker, int exit_code) {
    const bool is_chief = worker == 0;
    if (exit_code == 0 && !is_chief) return;
    decided_ = true;
    exit_code_ = exit_code;
    if (exit_code != 0) std::cout << HowItEnded(worker, exit_code) << std::endl;
    const bool wait =
        exit_code == 0 || (!is_chief && !MayHelpToRetry(exit_code));
    kill_at_ = Clock::now() + (wait ? kGrace : Clock::duration::zero());
  }

  SignalReader& signals_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  int exit_code_ = 0;
  bool stopped_ = false;
  bool decided_ = false;       // how the job ends; then
  Clock::time_point kill_at_;  // is when the others are ended
};

}  // namespace

absl::StatusOr<int> RunLocalWorkers(const LocalWorkers& job) {
  SignalReader signals;
  for (int restarts = 0;; ++restarts) {
    Attempt attempt(signals);
    RK_RETURN_IF_ERROR(attempt.Start(job));
    const int exit_code = attempt.Run();
    if (!MayHelpToRetry(exit_code) || attempt.stopped() ||
        restarts == job.restarts) {
      return exit_code;
    }
    std::cout << "starting all " << job.workers
              << " workers again, from the last checkpoint (" << restarts + 1
              << " of " << job.restarts << ")" << std::endl;
  }
}

}  // namespace rekindle
