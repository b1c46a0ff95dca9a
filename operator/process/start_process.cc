#include "operator/process/start_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "base/stray_processes.h"

namespace rekindle::argo {
namespace {

// Of Linux 5.10, which this C library's headers do not name.
constexpr unsigned long kStNoSymlinkFollow = 0x2000;
constexpr unsigned long kMsNoSymlinkFollow = 256;

// All of this runs in the child, which shares our memory: it writes to nothing
// but `result`.
class Child {
 public:
  Child(const StartPlan& plan, volatile StartResult& result)
      : plan_(plan), result_(result) {}

  [[noreturn]] void Become(pid_t parent) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // It died before the line above.
    RestoreSignals();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    ConnectStreams();
    if (plan_.root != nullptr) EnterView();
    if (chdir(plan_.folder) != 0) Give(StartStage::kFolder);
    for (const char* program : plan_.programs) {
      execve(program, plan_.argv.data(), plan_.environment.data());
      if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
    }
    Give(StartStage::kExec);
  }

 private:
  [[noreturn]] void Give(StartStage stage, int bind = -1) {
    result_.error = errno;
    result_.stage = stage;
    result_.bind = bind;
    _exit(127);
  }

  void ConnectStreams() const {
    const int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null_fd, STDIN_FILENO);
    dup2(plan_.output_fd, STDOUT_FILENO);
    dup2(plan_.log_fd, STDERR_FILENO);
  }

  void WriteFile(const char* path, const char* text) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const auto size = static_cast<ssize_t>(std::strlen(text));
    if (fd < 0 || write(fd, text, std::strlen(text)) != size) {
      Give(StartStage::kNamespace);
    }
    close(fd);
  }

  void EnterNamespaces() {
    const bool user = plan_.uid_map != nullptr;
    if (unshare(CLONE_NEWNS | (user ? CLONE_NEWUSER : 0)) != 0) {
      Give(StartStage::kNamespace);
    }
    if (user) {
      WriteFile("/proc/self/setgroups", "deny");
      WriteFile("/proc/self/uid_map", plan_.uid_map);
      WriteFile("/proc/self/gid_map", plan_.gid_map);
    }
    // Nothing that is mounted from here on is seen by anybody else.
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      Give(StartStage::kNamespace);
    }
  }

  // What the mount at `path` is restricted to: without privilege nobody may
  // lift that. (Access times stay as they are when nothing is said of them.)
  static unsigned long Restrictions(const char* path) {
    struct statfs info = {};
    if (statfs(path, &info) != 0) return 0;
    const auto given = static_cast<unsigned long>(info.f_flags);
    return ((given & ST_NOSUID) != 0 ? MS_NOSUID : 0) |
           ((given & ST_NODEV) != 0 ? MS_NODEV : 0) |
           ((given & ST_NOEXEC) != 0 ? MS_NOEXEC : 0) |
           ((given & kStNoSymlinkFollow) != 0 ? kMsNoSymlinkFollow : 0);
  }

  void MakeBind(int index) {
    const auto& bind = plan_.binds[static_cast<size_t>(index)];
    if (mount(bind.source, bind.target, nullptr, MS_BIND | MS_REC, nullptr) !=
        0) {
      Give(StartStage::kMount, index);
    }
    if (!bind.read_only) return;
    const unsigned long flags =
        MS_BIND | MS_REMOUNT | MS_RDONLY | Restrictions(bind.target);
    if (mount(nullptr, bind.target, nullptr, flags, nullptr) != 0) {
      Give(StartStage::kMount, index);
    }
  }

  void EnterView() {
    EnterNamespaces();
    const auto count = static_cast<int>(plan_.binds.size());
    for (int i = 0; i < count; ++i) MakeBind(i);
    // Not pivot_root(): to unmount the old root takes the kernel milliseconds.
    if (chroot(plan_.root) != 0) Give(StartStage::kRoot);
  }

  const StartPlan& plan_;
  volatile StartResult& result_;
};

}  // namespace

StartResult StartProcess(const StartPlan& plan) {
  volatile StartResult result = {};
  const pid_t parent = getpid();
  Child child(plan, result);
  // posix_spawn() cannot do what Become() does before exec().
  // NOLINTNEXTLINE(bugprone-unsafe-functions)
  const pid_t pid = vfork();
  if (pid == 0) child.Become(parent);
  if (pid < 0) return {0, errno, StartStage::kFork, -1};
  if (result.error != 0) waitpid(pid, nullptr, 0);
  return {result.error == 0 ? pid : 0, result.error, result.stage, result.bind};
}

}  // namespace rekindle::argo
