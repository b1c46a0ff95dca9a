#ifndef REKINDLE_OPERATOR_WORKFLOW_OBJECT_NAME_H_
#define REKINDLE_OPERATOR_WORKFLOW_OBJECT_NAME_H_

#include <string>

namespace rekindle::argo {

// Why Kubernetes would not take it, as the end of a sentence; "" when it would.

// The name of an object, such as a workflow or a claim: a DNS subdomain
// (RFC 1123).
std::string ObjectNameProblem(const std::string& name);
// The name of a volume: a DNS label.
std::string LabelNameProblem(const std::string& name);
// The subPath of a volume or an artifact, which stays inside.
std::string SubPathProblem(const std::string& path);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_OBJECT_NAME_H_
