#include "operator/process/host_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <map>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/stray_processes.h"
#include "operator/process/host_protocol.h"
#include "operator/process/start_process.h"

namespace rekindle::argo {
namespace {

class Host {
 public:
  Host(int channel_fd, int child_fd)
      : channel_fd_(channel_fd), child_fd_(child_fd) {}

  // Until nobody can tell us anything any more.
  void Run() {
    std::array<pollfd, 2> polled = {
        {{channel_fd_, POLLIN, 0}, {child_fd_, POLLIN, 0}}};
    while (true) {
      if (poll(polled.data(), polled.size(), -1) < 0) continue;
      if (polled[1].revents != 0) Reap();
      if (polled[0].revents != 0 && !Answer()) return;
    }
  }

 private:
  // All of `size` bytes and the descriptors that come with them. False when the
  // other side is gone.
  bool Receive(void* to, size_t size, std::vector<int>* fds) const {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
      iovec part = {at, size};
      alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control;
      msghdr message = {};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      const ssize_t n = recvmsg(channel_fd_, &message, MSG_CMSG_CLOEXEC);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      if (fds != nullptr) TakeDescriptors(message, *fds);
      at += n;
      size -= static_cast<size_t>(n);
    }
    return true;
  }

  static void TakeDescriptors(msghdr& message, std::vector<int>& fds) {
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_type != SCM_RIGHTS) continue;
      const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      const size_t had = fds.size();
      fds.resize(had + count);
      std::memcpy(&fds[had], CMSG_DATA(header), count * sizeof(int));
    }
  }

  bool Answer() {
    HostRequest request;
    std::vector<int> fds;
    if (!Receive(&request, sizeof(request), &fds)) return false;
    if (request.signal != 0) {
      const auto found = pids_.find(request.id);
      if (found != pids_.end()) kill(-found->second, request.signal);
      return true;
    }
    std::string text(request.bytes, '\0');
    if (!Receive(text.data(), text.size(), &fds)) return false;
    Start(request.id, text, fds);
    for (const int fd : fds) close(fd);
    return true;
  }

  void Start(uint64_t id, std::string& text, const std::vector<int>& fds) {
    StartPlan plan = DecodeSpec(text);
    plan.log_fd = fds.at(0);
    plan.output_fd = fds.back();
    const StartResult started = StartProcess(plan);
    if (started.error != 0) {
      HostReply reply;
      reply.id = id;
      reply.stage = started.stage;
      reply.error = started.error;
      reply.bind = started.bind;
      Send(reply);
      return;
    }
    pids_[id] = started.pid;
    ids_[started.pid] = id;
  }

  void Reap() {
    signalfd_siginfo ignored;
    while (read(child_fd_, &ignored, sizeof(ignored)) > 0) {
    }
    HostReply reply;
    pid_t pid = 0;
    while ((pid = wait4(-1, &reply.status, WNOHANG, &reply.usage)) > 0) {
      const auto found = ids_.find(pid);
      if (found == ids_.end()) continue;  // A stray that we adopted.
      kill(-pid, SIGKILL);
      reply.id = found->second;
      pids_.erase(found->second);
      ids_.erase(found);
      Send(reply);
    }
  }

  void Send(const HostReply& reply) const {
    send(channel_fd_, &reply, sizeof(reply), MSG_NOSIGNAL);
  }

  const int channel_fd_;
  const int child_fd_;
  std::map<uint64_t, pid_t> pids_;
  std::map<pid_t, uint64_t> ids_;
};

}  // namespace

void RunHostProcess(int channel_fd) {
  prctl(PR_SET_NAME, "rekindle-guard");
  setpgid(0, 0);
  BecomeReaper();
  CloseAllBut(channel_fd);
  sigset_t sigchld;
  sigemptyset(&sigchld);
  sigaddset(&sigchld, SIGCHLD);
  sigprocmask(SIG_BLOCK, &sigchld, nullptr);
  // Descriptors 0 to 2 of a child are made by dup2(): they must not be ours.
  while (true) {
    const int fd = dup(channel_fd);
    if (fd < 0 || fd > STDERR_FILENO) {
      close(fd);
      break;
    }
  }
  const int child_fd = signalfd(-1, &sigchld, SFD_NONBLOCK | SFD_CLOEXEC);
  Host(channel_fd, child_fd).Run();
  EndStrays();
  _exit(0);
}

}  // namespace rekindle::argo
