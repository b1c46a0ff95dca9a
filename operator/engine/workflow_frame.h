// Internal to operator/engine/engine.
#ifndef REKINDLE_OPERATOR_ENGINE_WORKFLOW_FRAME_H_
#define REKINDLE_OPERATOR_ENGINE_WORKFLOW_FRAME_H_

#include <optional>

#include "operator/engine/frame.h"

namespace rekindle::argo {

// The workflow itself: its entrypoint, its hooks and its exit handler.
class WorkflowFrame : public Frame {
 public:
  explicit WorkflowFrame(Engine& engine);
  void Advance() override;

 private:
  void Start();
  // Tells the rest of the workflow how it stands.
  void SetStatus();
  void Finish(const Node* exit_node);

  std::optional<Hooks> hooks_;  // but for the exit handler
  Node* exit_node_ = nullptr;
  bool started_ = false;
  bool exit_called_ = false;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_WORKFLOW_FRAME_H_
