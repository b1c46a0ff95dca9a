#ifndef REKINDLE_OPERATOR_LOCAL_RUN_VIEW_H_
#define REKINDLE_OPERATOR_LOCAL_RUN_VIEW_H_

#include "absl/time/time.h"
#include "operator/engine/engine.h"
#include "operator/view/live_view.h"
#include "operator/view/shown_workflow.h"

namespace rekindle::argo {

// What is shown of a run.
ShownWorkflow ShowRun(const Engine& engine);

// Shows a run while it goes on. Thread-compatible.
class RunView {
 public:
  // `view` is not owned and must outlive this; null shows nothing.
  explicit RunView(LiveView* view) : view_(view) {}

  // Something may have changed. A drawing waits for the next Update() if the
  // last one was a moment ago.
  void Update(Engine& engine, absl::Time now);
  // The run has ended.
  void Finish(Engine& engine, absl::Time now);
  // How often Update() is wanted although nothing happened.
  absl::Duration tick() const;

 private:
  // Without a terminal: a line for each change.
  void Tell(Engine& engine, absl::Time now);

  LiveView* const view_;
  absl::Time shown_at_ = absl::InfinitePast();
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_RUN_VIEW_H_
