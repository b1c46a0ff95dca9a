// Internal to operator/engine/engine.
#ifndef REKINDLE_OPERATOR_ENGINE_DAG_FRAME_H_
#define REKINDLE_OPERATOR_ENGINE_DAG_FRAME_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "operator/engine/frame.h"
#include "operator/workflow/depends.h"

namespace rekindle::argo {

class DagFrame : public BoundaryFrame {
 public:
  DagFrame(Engine& engine, Call call, Node* node);
  void Advance() override;

 private:
  struct Task {
    const Step* step = nullptr;
    std::optional<Depends> depends;
    std::vector<std::string> ancestors;
    bool wanted = false;  // a target, or something that one waits for
    bool begun = false;
    bool expands = false;
    Node* node = nullptr;  // of the task, or of the group of its items
    std::vector<std::unique_ptr<Child>> children;
    std::unique_ptr<Hooks> group_hooks;
  };

  absl::Status Prepare();
  std::vector<std::string> Targets() const;
  void Want(const std::string& name);

  // Whether the task has ended and its hooks with it.
  bool Settled(const Task& task) const;
  // False while it waits for others.
  bool TryBegin(Task& task);
  absl::StatusOr<bool> ShouldRun(const Task& task) const;
  void Begin(Task& task);
  absl::Status Start(Task& task);
  absl::Status StartItems(Task& task, const Step& resolved, bool forbidden,
                          const LocalScope& scope);
  void StartChild(Task& task, const std::string& name, Step step);
  void Connect(const Task& task, Node& node);
  void EndWithError(Task& task, const std::string& message);
  std::string NodeName(const std::string& task) const;

  // Runs hooks and ends groups; false if something is still under way.
  bool AdvanceTask(Task& task);
  void EndGroup(Task& task);
  absl::StatusOr<LocalScope> ScopeOf(
      const std::vector<std::string>& tasks) const;
  absl::Status AddTask(const Task& task, LocalScope& scope) const;

  // What the DAG comes to when nothing of it is under way.
  Phase Assess() const;
  void Finish();

  bool ready_ = false;
  std::vector<Task> tasks_;
  std::map<std::string, Task*> by_name_;
  std::vector<std::string> targets_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_DAG_FRAME_H_
