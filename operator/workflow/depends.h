#ifndef REKINDLE_OPERATOR_WORKFLOW_DEPENDS_H_
#define REKINDLE_OPERATOR_WORKFLOW_DEPENDS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "operator/expression/expression.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// How a task ended, in the words of `depends`. More than one may be true.
struct TaskResult {
  bool succeeded = false;
  bool failed = false;
  bool errored = false;
  bool skipped = false;
  bool omitted = false;
  bool daemoned = false;
  bool any_succeeded = false;  // of the items of a task with items
  bool all_failed = false;
};

// What a task of a DAG waits for: a condition over the results of other tasks.
// `dependencies: [a, b]` is the condition that both succeeded or were skipped
// (or failed, where their continueOn says that this is fine), and so is a name
// without a result in `depends`. Immutable and thread-safe.
class Depends {
 public:
  // `dag` is only read during the call.
  //
  //   INVALID_ARGUMENT  `depends` does not parse or names a result that does
  //   not
  //                     exist
  static absl::StatusOr<Depends> Parse(const Step& task, const Dag& dag);

  // The tasks it names, each once, in order of appearance; some may not exist.
  const std::vector<std::string>& tasks() const { return tasks_; }
  // Those of them that are asked for AnySucceeded or AllFailed.
  const std::vector<std::string>& item_tasks() const { return item_tasks_; }

  // Whether the task is to run, once all of tasks() have ended.
  //
  //   INVALID_ARGUMENT  a result is missing
  absl::StatusOr<bool> Evaluate(
      const std::map<std::string, TaskResult>& results) const;

 private:
  explicit Depends(Expression logic) : logic_(std::move(logic)) {}

  Expression logic_;  // over t0, t1, ...: the tasks by position in tasks_
  std::vector<std::string> tasks_;
  std::vector<std::string> item_tasks_;
};

// The tasks that `task` names in depends or dependencies, each once, whether
// the rest of it can be read or not.
std::vector<std::string> DependencyNames(const Step& task);

// The tasks that `name` waits for, directly or through others, in no particular
// order.
std::vector<std::string> Ancestors(const Dag& dag, const std::string& name);

// A cycle as "a -> b -> a", or "" when there is none.
std::string FindCycle(const Dag& dag);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_DEPENDS_H_
