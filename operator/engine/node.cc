#include "operator/engine/node.h"

#include <array>

#include "absl/time/time.h"

namespace rekindle::argo {
namespace {

constexpr std::array kTypeNames = {"Pod",     "Steps",     "StepGroup",
                                   "DAG",     "TaskGroup", "Retry",
                                   "Skipped", "Suspend"};

}  // namespace

const char* NodeTypeName(NodeType type) {
  return kTypeNames.at(static_cast<size_t>(type));
}

absl::Duration Node::duration() const {
  return finished_at == absl::InfiniteFuture() ? absl::ZeroDuration()
                                               : finished_at - started_at;
}

}  // namespace rekindle::argo
