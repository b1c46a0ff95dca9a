#ifndef REKINDLE_OPERATOR_SUBMIT_SUBMISSION_H_
#define REKINDLE_OPERATOR_SUBMIT_SUBMISSION_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"
#include "operator/kube/resource.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// What a submission changes of a workflow, as `argo submit` does. What is empty
// stays as it is.
struct SubmitOptions {
  std::string name;
  std::string generate_name;
  std::string entrypoint;
  std::string service_account;
  std::map<std::string, std::string> labels;
  // In this order; they come before those of the workflow and replace those of
  // the same name.
  std::vector<std::pair<std::string, std::string>> parameters;
};

// "name=value" in its parts; the value may hold "=".
//
//   INVALID_ARGUMENT  there is no "=" or no name
absl::StatusOr<std::pair<std::string, std::string>> ParseParameter(
    const std::string& text);

// "a=b,c=d"; empty for empty.
absl::StatusOr<std::map<std::string, std::string>> ParseLabels(
    const std::string& text);

// The parameters in a YAML or JSON map, for those that `parameters` lacks. What
// is not text there becomes JSON.
//
//   INVALID_ARGUMENT  it is not a map
absl::Status AddParametersOf(
    const std::string& text, const std::string& file,
    std::vector<std::pair<std::string, std::string>>& parameters);

// Changes a Workflow object.
//
//   INVALID_ARGUMENT  it has neither a name nor a generateName afterwards, or
//                     an argument without a value
absl::Status Apply(const SubmitOptions& options, nlohmann::json& workflow);

// The same of what was read from a file, as far as a check of it needs that.
void Apply(const SubmitOptions& options, Workflow& workflow);

// What `--from KIND/NAME` names, by any of Argo's names for the kind.
struct FromReference {
  const Resource* resource;
  std::string name;
};

//   INVALID_ARGUMENT  it is not KIND/NAME, or nothing to submit from
absl::StatusOr<FromReference> ParseFrom(const std::string& text);

// The Workflow that is made of an installed template or cron workflow, as Argo
// makes it.
//
//   NOT_FOUND  it is not installed
absl::StatusOr<nlohmann::json> WorkflowFrom(const FromReference& from,
                                            const std::string& in_namespace,
                                            absl::Time now, KubeClient& client);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_SUBMIT_SUBMISSION_H_
