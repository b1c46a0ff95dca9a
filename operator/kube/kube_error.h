#ifndef REKINDLE_OPERATOR_KUBE_KUBE_ERROR_H_
#define REKINDLE_OPERATOR_KUBE_KUBE_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"

namespace rekindle::argo {

// What was asked, for the sentence that says why it was not done.
struct CallContext {
  std::string verb;          // "create"
  std::string resource;      // "workflows"
  std::string group;         // "argoproj.io"; empty: the core group
  std::string in_namespace;  // empty: none
  std::string name;          // empty: none
  std::string server;        // "https://10.0.0.1:6443"
  std::string source;        // as in KubeConfig
};

// The status of an answer that is not a success. `body` is a Kubernetes Status
// object, or whatever a proxy on the way said.
absl::Status StatusOfAnswer(int http_status, const std::string& body,
                            const std::string& retry_after,
                            const CallContext& call);

// The same for a Status object in a watch.
absl::Status StatusOfObject(const nlohmann::json& object,
                            const CallContext& call);

// How long the cluster asks to stay away; zero if it did not.
absl::Duration RetryAfter(const absl::Status& status);

// Marks the error of a call that was certainly not carried out: it was never
// sent, or the cluster sent it away unread.
absl::Status NotDone(absl::Status status);
// Whether an error is so marked. What became of other calls that were not
// answered, nobody knows.
bool IsNotDone(const absl::Status& status);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_KUBE_ERROR_H_
