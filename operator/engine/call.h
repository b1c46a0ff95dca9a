// Internal to operator/engine/engine.
#ifndef REKINDLE_OPERATOR_ENGINE_CALL_H_
#define REKINDLE_OPERATOR_ENGINE_CALL_H_

#include <functional>
#include <memory>
#include <string>

#include "operator/engine/node.h"
#include "operator/workflow/templating.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

class BoundaryFrame;
class Frame;

// One use of a template: what a step, a task, a hook or the workflow itself
// runs under a node's name.
struct Call {
  std::string node_name;
  Step step;  // what is used; its arguments are resolved
  // "steps" or "tasks", where the step's own name is a tag; "" elsewhere.
  std::string kind;
  const Workflow* owner = nullptr;    // where the template's name is looked up
  BoundaryFrame* boundary = nullptr;  // null: the workflow itself
  Frame* parent = nullptr;            // is queued when the node's phase changes
  bool hooked = false;
  bool on_exit = false;  // of an exit handler, or inside one
  // Called once, with the node that came of it.
  std::function<void(Node&)> on_node;

  // Filled in when it is prepared.
  bool prepared = false;
  const Workflow* template_owner = nullptr;
  const Template* definition = nullptr;
  std::shared_ptr<const Template> rendered;
};

// The template with its inputs from `arguments` and every tag replaced that
// `scope` has a value for.
//
//   INVALID_ARGUMENT  an input without a value, a value outside its enum, a tag
//                     that cannot be replaced
absl::StatusOr<Template> RenderTemplate(const Template& definition,
                                        const Arguments& arguments,
                                        const Scope& scope);

// Stands for an argument that refers to an output nobody made: the input's
// default is taken.
extern const char kAbsentArgument[];

// `step` with kAbsentArgument where an argument is one tag whose value is nil.
Step WithAbsentArguments(const Step& step, const Scope& scope);

// `step` without its hooks, whose tags stand for what is not there yet.
Step WithoutHooks(const Step& step);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_CALL_H_
