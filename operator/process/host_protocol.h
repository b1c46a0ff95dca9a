// Internal to operator/process/process_host.
#ifndef REKINDLE_OPERATOR_PROCESS_HOST_PROTOCOL_H_
#define REKINDLE_OPERATOR_PROCESS_HOST_PROTOCOL_H_

#include <cstdint>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "absl/strings/string_view.h"
#include "operator/process/process_spec.h"
#include "operator/process/start_process.h"

namespace rekindle::argo {

// What we and the process that starts processes say to each other over a
// socket. Both are the same program, so numbers go as they lie in memory.

// From us: a start, with `bytes` of a spec behind it and the descriptors of
// its streams beside it, or a signal.
struct HostRequest {
  uint64_t id = 0;
  uint32_t bytes = 0;
  int32_t signal = 0;  // 0: start
};

// To us: that a process did not start, or that it ended.
struct HostReply {
  uint64_t id = 0;
  StartStage stage = StartStage::kNone;  // that failed; else it has ended
  int32_t error = 0;
  int32_t bind = -1;
  int32_t status = 0;  // as wait() tells it
  rusage usage = {};
};

// The spec as text, and back. The plan points into `text`, which must stay.
std::string EncodeSpec(const ProcessSpec& spec);
StartPlan DecodeSpec(std::string& text);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PROCESS_HOST_PROTOCOL_H_
