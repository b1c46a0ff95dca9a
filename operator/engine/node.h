#ifndef REKINDLE_OPERATOR_ENGINE_NODE_H_
#define REKINDLE_OPERATOR_ENGINE_NODE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "operator/pods/node_outputs.h"
#include "operator/pods/phase.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

enum class NodeType {
  kPod,
  kSteps,
  kStepGroup,
  kDag,
  kTaskGroup,
  kRetry,
  kSkipped,
  kSuspend
};

// "Pod", "DAG", ...
const char* NodeTypeName(NodeType type);

// One node of a workflow's status, with Argo's names for everything.
struct Node {
  std::string id;
  std::string name;
  std::string display_name;
  NodeType type = NodeType::kPod;
  std::string template_name;
  std::optional<TemplateRef> template_ref;
  std::string template_scope;
  std::string boundary_id;
  Phase phase = Phase::kPending;
  std::string message;
  absl::Time started_at = absl::InfinitePast();
  absl::Time finished_at = absl::InfiniteFuture();
  std::optional<Inputs> inputs;
  std::optional<NodeOutputs> outputs;
  std::vector<std::string> children;        // ids
  std::vector<std::string> outbound_nodes;  // ids
  std::string progress;                     // "N/M", of a pod
  bool hooked = false;                      // of a hook or an exit handler
  bool retried = false;                     // an attempt of a Retry node

  bool fulfilled() const { return IsFulfilled(phase); }
  // Zero unless it has finished.
  absl::Duration duration() const;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_NODE_H_
