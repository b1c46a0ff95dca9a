#include "base/subprocess.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

constexpr int kDoNotInherit = O_CLOEXEC;

struct Pipe {
  int read_fd = -1;
  int write_fd = -1;
};

absl::StatusOr<Pipe> MakePipe() {
  std::array<int, 2> fds;
  if (pipe2(fds.data(), kDoNotInherit) != 0) {
    return ErrnoStatus(errno, "make", "a pipe");
  }
  return Pipe{fds[0], fds[1]};
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

std::vector<std::string> MergedEnvironment(
    const std::map<std::string, std::string>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string line = *entry;
    if (!added.contains(line.substr(0, line.find('=')))) merged.push_back(line);
  }
  for (const auto& [name, value] : added) {
    merged.push_back(absl::StrCat(name, "=", value));
  }
  return merged;
}

// A descriptor that becomes readable when the process ends. By number, because
// glibc 2.36 declares pidfd_open() without C linkage.
int OpenPidFd(pid_t pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

// Runs between fork and exec: only calls that are safe after a fork.
[[noreturn]] void BecomeChild(char* const* argv, char* const* environment,
                              int output_fd, int error_fd, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // The parent died before the line above.
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  const int null_fd = open("/dev/null", O_RDONLY);
  dup2(null_fd, STDIN_FILENO);
  dup2(output_fd, STDOUT_FILENO);
  dup2(output_fd, STDERR_FILENO);
  execvpe(argv[0], argv, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t n = write(error_fd, &error, sizeof(error));
  _exit(127);
}

// The errno of a failed exec, or 0: exec closes the pipe without a word.
int ExecError(int read_fd) {
  int error = 0;
  ssize_t n = 0;
  do {
    n = read(read_fd, &error, sizeof(error));
  } while (n < 0 && errno == EINTR);
  return n == sizeof(error) ? error : 0;
}

double Seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Subprocess>> Subprocess::Start(
    const std::vector<std::string>& argv,
    const std::map<std::string, std::string>& environment) {
  RK_ASSIGN_OR_RETURN(const Pipe output, MakePipe());
  RK_ASSIGN_OR_RETURN(const Pipe exec_error, MakePipe());
  const std::vector<char*> arguments = Pointers(argv);
  const std::vector<std::string> merged = MergedEnvironment(environment);
  const std::vector<char*> variables = Pointers(merged);

  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    BecomeChild(arguments.data(), variables.data(), output.write_fd,
                exec_error.write_fd, parent);
  }
  const int fork_error = errno;
  close(output.write_fd);
  close(exec_error.write_fd);
  const int error = pid < 0 ? fork_error : ExecError(exec_error.read_fd);
  close(exec_error.read_fd);
  if (error != 0) {
    close(output.read_fd);
    if (pid > 0) waitpid(pid, nullptr, 0);
    return ErrnoStatus(error, "start", argv[0]);
  }
  // Also here, so that the group exists whichever process runs first.
  setpgid(pid, pid);
  return std::unique_ptr<Subprocess>(
      new Subprocess(pid, OpenPidFd(pid), output.read_fd));
}

Subprocess::~Subprocess() {
  if (!ended_) {
    Signal(SIGKILL);
    Wait();
  }
  close(output_fd_);
  close(pid_fd_);
}

void Subprocess::Signal(int signal) const { kill(-pid_, signal); }

ProcessEnd Subprocess::Wait() {
  if (ended_) return end_;
  int status = 0;
  rusage usage = {};
  while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  ended_ = true;
  if (WIFEXITED(status)) end_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
  end_.peak_rss_bytes = int64_t{usage.ru_maxrss} * 1024;
  end_.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  return end_;
}

}  // namespace rekindle
