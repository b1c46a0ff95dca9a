// Internal to operator/process/process_host.
#ifndef REKINDLE_OPERATOR_PROCESS_START_PROCESS_H_
#define REKINDLE_OPERATOR_PROCESS_START_PROCESS_H_

#include <vector>

#include <sys/types.h>

namespace rekindle::argo {

// What a child does before it becomes a program, for messages.
enum class StartStage : int {
  kNone,
  kFork,
  kNamespace,
  kMount,
  kRoot,
  kFolder,
  kExec
};

// A ProcessSpec as the child needs it: nothing to allocate between vfork() and
// exec(). Pointers are borrowed.
struct StartPlan {
  struct BindPlan {
    const char* source;
    const char* target;
    bool read_only;
  };
  std::vector<char*> argv;            // ends with null
  std::vector<char*> environment;     // ends with null
  std::vector<const char*> programs;  // argv[0] as it may be found
  const char* folder = nullptr;
  const char* root = nullptr;  // null: no view of its own
  std::vector<BindPlan> binds;
  const char* uid_map = nullptr;  // null: no user namespace is needed
  const char* gid_map = nullptr;
  int log_fd = -1;
  int output_fd = -1;  // where the first stream goes
};

struct StartResult {
  pid_t pid = 0;  // of a process that leads its own session, or 0
  int error = 0;
  StartStage stage = StartStage::kNone;
  int bind = -1;  // which one failed, at kMount
};

// Starts a process that dies with this one. vfork() underneath: this process
// waits until the other has become the program.
StartResult StartProcess(const StartPlan& plan);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PROCESS_START_PROCESS_H_
