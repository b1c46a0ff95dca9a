#include "component/strategies/worker_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace rekindle {
namespace {

constexpr char kVariable[] = "TF_CONFIG=";
constexpr int kExitCannotStart = 127;
constexpr int kExitSignalBase = 128;

std::vector<std::string> EnvironmentWith(const std::string& tf_config) {
  std::vector<std::string> lines = {kVariable + tf_config};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string line = *entry;
    if (!line.starts_with(kVariable)) lines.push_back(line);
  }
  return lines;
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& s : strings) {
    pointers.push_back(const_cast<char*>(s.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// What the child does between fork() and its program: only what is safe there.
// `output_fd` is where it writes to; below 0: where we do.
[[noreturn]] void BecomeWorker(char* const* argv, char* const* environment,
                               int output_fd, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // We died before the line above.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (output_fd >= 0) {
    dup2(output_fd, STDOUT_FILENO);
    dup2(output_fd, STDERR_FILENO);
  }
  execvpe(argv[0], argv, environment);
  _exit(kExitCannotStart);
}

absl::Status CannotStart(const std::string& program) {
  return absl::UnavailableError(absl::StrCat("cannot start a worker, ", program,
                                             ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(
    const std::vector<std::string>& argv, const std::string& tf_config,
    const std::string& mark) {
  std::array<int, 2> output = {-1, -1};
  if (!mark.empty() && pipe2(output.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return CannotStart(argv.front());
  }
  const std::vector<std::string> environment = EnvironmentWith(tf_config);
  const std::vector<char*> arguments = Pointers(argv);
  const std::vector<char*> variables = Pointers(environment);
  const auto [read_fd, write_fd] = output;
  if (write_fd >= 0) fcntl(write_fd, F_SETFL, 0);  // The child may wait.
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    BecomeWorker(arguments.data(), variables.data(), write_fd, parent);
  }
  if (write_fd >= 0) close(write_fd);
  if (pid < 0) return CannotStart(argv.front());
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(pid, read_fd, mark));
}

WorkerProcess::WorkerProcess(pid_t pid, int output_fd, std::string mark)
    : pid_(pid), output_fd_(output_fd), mark_(std::move(mark)) {}

WorkerProcess::~WorkerProcess() {
  if (!exit_code_.has_value()) {
    Signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  CloseOutput();
}

void WorkerProcess::Signal(int signal) const {
  if (!exit_code_.has_value()) kill(pid_, signal);
}

bool WorkerProcess::HasEnded() {
  int status = 0;
  if (!exit_code_.has_value() && waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_code_ = WIFSIGNALED(status) ? kExitSignalBase + WTERMSIG(status)
                                     : WEXITSTATUS(status);
    RelayOutput();
  }
  return exit_code_.has_value();
}

void WorkerProcess::RelayOutput() {
  std::array<char, 1 << 14> buffer;
  while (output_fd_ >= 0) {
    const ssize_t n = read(output_fd_, buffer.data(), buffer.size());
    if (n > 0) {
      PrintLines(std::string(buffer.data(), static_cast<size_t>(n)));
    } else if (n == 0) {
      CloseOutput();
    } else if (errno != EINTR) {
      return;
    }
  }
}

void WorkerProcess::PrintLines(const std::string& text) {
  line_ += text;
  size_t begin = 0;
  for (size_t end = 0; (end = line_.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    std::cout << mark_ << line_.substr(begin, end - begin) << std::endl;
  }
  line_.erase(0, begin);
}

void WorkerProcess::CloseOutput() {
  if (!line_.empty()) std::cout << mark_ << line_ << std::endl;
  line_.clear();
  if (output_fd_ >= 0) close(output_fd_);
  output_fd_ = -1;
}

}  // namespace rekindle
