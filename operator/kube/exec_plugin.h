#ifndef REKINDLE_OPERATOR_KUBE_EXEC_PLUGIN_H_
#define REKINDLE_OPERATOR_KUBE_EXEC_PLUGIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "operator/kube/credentials.h"
#include "operator/kube/kube_config.h"

namespace rekindle::argo {

// Runs a credential plugin and reads the ExecCredential it prints. What it says
// on stderr goes to ours, so that it can tell people what to do. `cluster_info`
// is the JSON of the cluster, or empty. It may take its time, as people do who
// log in by a browser, until `cancel_fd` is readable; -1: none.
//
//   FAILED_PRECONDITION  it is not installed
//   UNAUTHENTICATED      it failed, or printed no credential
//   CANCELLED            we were interrupted; it was ended
absl::StatusOr<Credential> RunExecPlugin(const ExecConfig& exec,
                                         const std::string& cluster_info,
                                         int cancel_fd);

// The credential in an ExecCredential object; `exec` is for messages.
absl::StatusOr<Credential> ParseExecCredential(const std::string& text,
                                               const ExecConfig& exec);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_EXEC_PLUGIN_H_
