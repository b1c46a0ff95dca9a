#ifndef REKINDLE_OPERATOR_LOCAL_RUN_PLAN_H_
#define REKINDLE_OPERATOR_LOCAL_RUN_PLAN_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/workflow/template_library.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// What is to be run.
struct RunRequest {
  std::string file;
  std::vector<std::string> template_files;  // what templateRefs may name
  std::map<std::string, std::string> parameters;
  std::string entrypoint;         // empty: the workflow's
  bool resume_suspended = false;  // a suspend without a duration is no wait
};

// A workflow that can run here: complete, valid, and without anything that only
// a cluster gives a meaning to.
struct RunPlan {
  Workflow workflow;
  TemplateLibrary library;
  Arguments arguments;  // all of the workflow's, with their values
};

// Reads and checks it. The first Workflow of the file is run, else its first
// CronWorkflow or WorkflowTemplate; WorkflowTemplates beside it may be named.
//
//   NOT_FOUND         there is no such file
//   INVALID_ARGUMENT  what is wrong with it, each at its place
absl::StatusOr<std::unique_ptr<RunPlan>> MakeRunPlan(const RunRequest& request);

// The plan as text: parameters, and a tree of what would run.
std::string Describe(const RunPlan& plan);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_RUN_PLAN_H_
