// Internal to operator/process/process_host.
#ifndef REKINDLE_OPERATOR_PROCESS_HOST_PROCESS_H_
#define REKINDLE_OPERATOR_PROCESS_HOST_PROCESS_H_

namespace rekindle::argo {

// Becomes the process that starts processes, until the other end of
// `channel_fd` is closed; then everything it started ends. To be called right
// after fork(), in a program with one thread.
[[noreturn]] void RunHostProcess(int channel_fd);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PROCESS_HOST_PROCESS_H_
