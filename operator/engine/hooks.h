// Internal to operator/engine/engine.
#ifndef REKINDLE_OPERATOR_ENGINE_HOOKS_H_
#define REKINDLE_OPERATOR_ENGINE_HOOKS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/engine/local_scope.h"
#include "operator/engine/node.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

class BoundaryFrame;
class Engine;
class Frame;

// The hooks of one step or task: those that start when their expression becomes
// true, and the exit hook, when the step's node has ended.
class Hooks {
 public:
  // Where hooks run. `prefix` and `name` are how they refer to the step.
  struct Place {
    Frame* parent;            // is queued when a hook's node changes
    BoundaryFrame* boundary;  // null for the workflow's own hooks
    const Workflow* owner;    // of the templates they name
    std::string prefix;
    std::string name;
  };

  Hooks(Engine& engine, Place place, std::vector<LifecycleHook> hooks,
        const std::string& on_exit);

  // Starts what is due. True when no hook is under way (any more).
  //
  //   INVALID_ARGUMENT  an expression fails
  absl::StatusOr<bool> Advance(Node& node, const LocalScope& scope);
  bool empty() const { return hooks_.empty() && !exit_.has_value(); }

 private:
  struct Started {
    Node* node = nullptr;  // null while it waits for its turn
  };

  void Start(const LifecycleHook& hook, const std::string& node_name,
             Node& node, const LocalScope& scope, bool on_exit);
  absl::StatusOr<bool> IsDue(const LifecycleHook& hook,
                             const LocalScope& scope) const;

  Engine& engine_;
  const Place place_;
  std::vector<LifecycleHook> hooks_;
  std::optional<LifecycleHook> exit_;
  std::map<std::string, Started> started_;  // by node name
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_HOOKS_H_
