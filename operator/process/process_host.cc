#include "operator/process/process_host.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/process_end.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "operator/process/host_process.h"
#include "operator/process/host_protocol.h"

namespace rekindle::argo {
namespace {

// Argo keeps as much of a script's output.
constexpr size_t kOutputLimit = size_t{256} * 1024;
// As much as the largest pipe holds without privilege.
constexpr int kReadsAtOnce = 16;
// In epoll's data: any other number is a process's.
constexpr uint64_t kChannel = ~uint64_t{0};

absl::Status HostIsGone() {
  return absl::UnavailableError(
      "the process that starts this run's steps was killed; the steps ended "
      "with it");
}

bool Watch(int epoll_fd, int fd, uint64_t data) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = data;
  return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool IsView(StartStage stage) {
  return stage == StartStage::kNamespace || stage == StartStage::kMount ||
         stage == StartStage::kRoot;
}

bool HasNul(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    return absl::StrContains(text, '\0');
  });
}

// Strings go to the other side with a zero byte at their end.
bool HasNul(const ProcessSpec& spec) {
  std::vector<std::string> paths = {spec.search_path, spec.folder,
                                    spec.log_path, spec.view.root};
  for (const Bind& bind : spec.view.binds) {
    paths.insert(paths.end(), {bind.source, bind.target});
  }
  return HasNul(spec.argv) || HasNul(spec.environment) || HasNul(paths);
}

absl::Status StartError(const HostReply& reply, const std::string& program,
                        const std::string& folder,
                        const std::vector<Bind>& binds) {
  switch (reply.stage) {
    case StartStage::kNamespace:
      return ErrnoStatus(reply.error, "make", "a mount namespace");
    case StartStage::kMount:
      return ErrnoStatus(reply.error, "mount",
                         binds.at(static_cast<size_t>(reply.bind)).source);
    case StartStage::kRoot:
      return ErrnoStatus(reply.error, "enter", "the step's own root folder");
    case StartStage::kFolder:
      return ErrnoStatus(reply.error, "enter",
                         absl::StrCat("its working directory ", folder));
    default:
      return ErrnoStatus(reply.error, "start", program);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ProcessHost>> ProcessHost::Start() {
  std::array<int, 2> fds;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) {
    return ErrnoStatus(errno, "make", "a pair of sockets");
  }
  const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) {
    const int error = errno;
    for (const int fd : fds) close(fd);
    return ErrnoStatus(error, "make", "an epoll descriptor");
  }
  const pid_t pid = fork();
  if (pid == 0) {
    close(fds[0]);
    RunHostProcess(fds[1]);
  }
  const int fork_error = errno;
  close(fds[1]);
  std::unique_ptr<ProcessHost> host(new ProcessHost(pid, fds[0], epoll_fd));
  if (pid < 0) return ErrnoStatus(fork_error, "fork", "a process");
  if (!Watch(epoll_fd, fds[0], kChannel)) {
    return ErrnoStatus(errno, "watch", "a socket");
  }
  return host;
}

ProcessHost::~ProcessHost() {
  close(channel_fd_);  // Everything ends with it.
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
  for (auto& [id, running] : running_) CloseOutput(running);
  close(epoll_fd_);
}

absl::Status ProcessHost::Send(const HostRequest& request,
                               absl::string_view payload,
                               const std::vector<int>& fds) {
  std::string bytes(reinterpret_cast<const char*>(&request), sizeof(request));
  absl::StrAppend(&bytes, payload);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control = {};
  size_t sent = 0;
  while (sent < bytes.size()) {
    iovec part = {bytes.data() + sent, bytes.size() - sent};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (sent == 0 && !fds.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
      std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
    }
    const ssize_t n =
        sendmsg(channel_fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      sent += static_cast<size_t>(n);
    } else if (errno == EAGAIN) {
      // The other side may be waiting for us to read what it says.
      pollfd polled = {channel_fd_, POLLIN | POLLOUT, 0};
      poll(&polled, 1, -1);
      if ((polled.revents & POLLIN) != 0) RK_RETURN_IF_ERROR(Receive());
    } else if (errno != EINTR) {
      return HostIsGone();
    }
  }
  return absl::OkStatus();
}

absl::Status ProcessHost::Run(uint64_t id, const ProcessSpec& spec) {
  if (HasNul(spec)) {
    return absl::InvalidArgumentError(
        "its command, environment or a path has a NUL byte, which no process "
        "can be given");
  }
  Running running;
  running.program = spec.argv.at(0);
  running.folder = spec.folder;
  running.binds = spec.view.binds;
  running.log_fd =
      open(spec.log_path.c_str(),
           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
           0644);
  if (running.log_fd < 0) return ErrnoStatus(errno, "open", spec.log_path);
  std::vector<int> fds = {running.log_fd};
  if (spec.capture_output) {
    std::array<int, 2> ends;
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      const int error = errno;
      close(running.log_fd);
      return ErrnoStatus(error, "make", "a pipe");
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    running.output_fd = ends[0];
    fds.push_back(ends[1]);
    Watch(epoll_fd_, running.output_fd, id);
  }
  const std::string text = EncodeSpec(spec);
  HostRequest request;
  request.id = id;
  request.bytes = static_cast<uint32_t>(text.size());
  const absl::Status sent = Send(request, text, fds);
  if (spec.capture_output) {
    close(fds[1]);
  } else {
    close(std::exchange(running.log_fd, -1));
  }
  running_.emplace(id, std::move(running));
  return sent;
}

void ProcessHost::Signal(uint64_t id, int signal) {
  if (!running_.contains(id)) return;
  HostRequest request;
  request.id = id;
  request.signal = signal;
  // If nobody is there any more, Collect() says so.
  Send(request, "", {}).IgnoreError();
}

bool ProcessHost::ReadOutput(Running& running) {
  std::array<char, 65536> buffer;
  // Who writes without end must not keep us from the others.
  for (int i = 0; i < kReadsAtOnce; ++i) {
    const ssize_t n = read(running.output_fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 && errno == EAGAIN;
    const auto size = static_cast<size_t>(n);
    [[maybe_unused]] const ssize_t logged =
        write(running.log_fd, buffer.data(), size);
    const size_t room = kOutputLimit - running.output.size();
    running.output.append(buffer.data(), std::min(size, room));
  }
  return true;
}

void ProcessHost::CloseOutput(Running& running) {
  if (running.output_fd >= 0) close(std::exchange(running.output_fd, -1));
  if (running.log_fd >= 0) close(std::exchange(running.log_fd, -1));
}

void ProcessHost::Take(const HostReply& reply) {
  const auto found = running_.find(reply.id);
  if (found == running_.end()) return;
  Running& running = found->second;
  ProcessReport report;
  report.id = reply.id;
  if (reply.error != 0) {
    report.start_error =
        StartError(reply, running.program, running.folder, running.binds);
    report.view_refused = IsView(reply.stage);
    report.program_missing =
        reply.stage == StartStage::kExec && reply.error == ENOENT;
  }
  report.end = ToProcessEnd(reply.status, reply.usage);
  if (running.output_fd >= 0) ReadOutput(running);
  report.output = std::move(running.output);
  CloseOutput(running);
  running_.erase(found);
  ended_.push_back(std::move(report));
}

absl::Status ProcessHost::Receive() {
  std::array<char, 64 * sizeof(HostReply)> buffer;
  while (true) {
    const ssize_t n =
        recv(channel_fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) return HostIsGone();
    received_.append(buffer.data(), static_cast<size_t>(n));
  }
  size_t at = 0;
  for (; at + sizeof(HostReply) <= received_.size(); at += sizeof(HostReply)) {
    HostReply reply;
    std::memcpy(&reply, received_.data() + at, sizeof(reply));
    Take(reply);
  }
  received_.erase(0, at);
  return absl::OkStatus();
}

absl::StatusOr<std::deque<ProcessReport>> ProcessHost::Collect() {
  std::array<epoll_event, 64> events;
  const int count =
      epoll_wait(epoll_fd_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const uint64_t id = events.at(static_cast<size_t>(i)).data.u64;
    if (id == kChannel) {
      RK_RETURN_IF_ERROR(Receive());
      continue;
    }
    const auto found = running_.find(id);
    if (found != running_.end() && !ReadOutput(found->second)) {
      close(std::exchange(found->second.output_fd, -1));
    }
  }
  return std::exchange(ended_, {});
}

}  // namespace rekindle::argo
