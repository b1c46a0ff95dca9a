#ifndef REKINDLE_OPERATOR_LOCAL_RUN_VIEW_H_
#define REKINDLE_OPERATOR_LOCAL_RUN_VIEW_H_

#include <memory>
#include <ostream>

#include "absl/time/time.h"
#include "operator/local/engine.h"

namespace rekindle::argo {

// Shows a run while it goes on. Thread-compatible.
class RunView {
 public:
  virtual ~RunView() = default;
  // Something may have changed.
  virtual void Update(const Engine& engine, absl::Time now) = 0;
  // The run has ended.
  virtual void Finish(const Engine& engine, absl::Time now) = 0;
  // How often Update() is wanted although nothing happened.
  virtual absl::Duration tick() const { return absl::InfiniteDuration(); }
};

// A line for each pod that starts and ends, and the tree at the end.
std::unique_ptr<RunView> MakePlainView(std::ostream& out);
// The tree on the terminal `fd`, drawn in place.
std::unique_ptr<RunView> MakeLiveView(int fd);
std::unique_ptr<RunView> MakeNoView();

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_RUN_VIEW_H_
