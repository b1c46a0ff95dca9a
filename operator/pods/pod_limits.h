#ifndef REKINDLE_OPERATOR_PODS_POD_LIMITS_H_
#define REKINDLE_OPERATOR_PODS_POD_LIMITS_H_

#include "absl/status/status.h"
#include "operator/workflow/templating.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// Whether this machine can give the pod of `definition` what it needs, as far
// as `scope` has values for its tags.
//
//   INVALID_ARGUMENT  its pod is to have a name in DNS
//                     (podSpecPatch.subdomain): pods that look for each other
//                     need a cluster
absl::Status CheckRunsHere(const Template& definition, const Scope& scope);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_POD_LIMITS_H_
