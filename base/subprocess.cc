#include "base/subprocess.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/process_end.h"
#include "base/process_guard.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

struct Pipe {
  int read_fd = -1;
  int write_fd = -1;
};

absl::StatusOr<Pipe> MakePipe() {
  std::array<int, 2> fds;
  if (pipe2(fds.data(), O_CLOEXEC) != 0) {
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

// Both ends of the socket between us and a guard.
absl::StatusOr<std::array<int, 2>> MakeChannel() {
  std::array<int, 2> fds;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) {
    return ErrnoStatus(errno, "make", "a pair of sockets");
  }
  return fds;
}

// False when the guard is gone.
template <typename Message>
bool Receive(int channel_fd, Message& message) {
  ssize_t n = 0;
  do {
    n = recv(channel_fd, &message, sizeof(message), MSG_WAITALL);
  } while (n < 0 && errno == EINTR);
  return n == sizeof(message);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Subprocess>> Subprocess::Start(
    const std::vector<std::string>& argv,
    const std::map<std::string, std::string>& environment) {
  RK_ASSIGN_OR_RETURN(const Pipe output, MakePipe());
  RK_ASSIGN_OR_RETURN(const auto channel, MakeChannel());
  const auto [our_end, guards_end] = channel;
  const std::vector<char*> arguments = Pointers(argv);
  const std::vector<std::string> merged = MergedEnvironment(environment);
  const std::vector<char*> variables = Pointers(merged);

  const pid_t guard_pid = fork();
  if (guard_pid == 0) {
    close(our_end);
    RunGuard({arguments.data(), variables.data(), output.write_fd, guards_end});
  }
  const int fork_error = errno;
  close(output.write_fd);
  close(guards_end);
  std::unique_ptr<Subprocess> child(
      new Subprocess(guard_pid, our_end, output.read_fd));
  GuardStarted started;
  if (guard_pid < 0) {
    started.error = fork_error;
  } else if (!Receive(our_end, started)) {
    return absl::UnavailableError(
        absl::StrCat("start ", argv[0], ": killed before it started"));
  }
  if (started.error != 0) return ErrnoStatus(started.error, "start", argv[0]);
  child->pid_ = started.pid;
  return child;
}

Subprocess::~Subprocess() {
  if (pid_ != 0) {
    Signal(SIGKILL);
    Wait();
  }
  close(output_fd_);
  close(channel_fd_);  // The guard ends with it, if it still is there.
  if (guard_pid_ > 0) waitpid(guard_pid_, nullptr, 0);
}

void Subprocess::Signal(int signal) const {
  if (ended_) return;
  const auto byte = static_cast<char>(signal);
  send(channel_fd_, &byte, 1, MSG_NOSIGNAL);
}

ProcessEnd Subprocess::Wait() {
  if (ended_) return end_;
  ended_ = true;
  GuardEnded ended;
  if (!Receive(channel_fd_, ended)) {
    // Somebody killed the guard; the process went with it.
    kill(-pid_, SIGKILL);
    end_.signal = SIGKILL;
    return end_;
  }
  end_ = ToProcessEnd(ended.status, ended.usage);
  return end_;
}

}  // namespace rekindle
