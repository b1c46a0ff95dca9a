#ifndef REKINDLE_OPERATOR_KUBE_RETRYING_KUBE_CLIENT_H_
#define REKINDLE_OPERATOR_KUBE_RETRYING_KUBE_CLIENT_H_

#include <functional>
#include <memory>
#include <string>

#include "base/backoff.h"
#include "operator/kube/kube_client.h"

namespace rekindle::argo {

struct RetryOptions {
  // Its sleeper must be set; false from it means that we were interrupted.
  // `total` is counted from the first failure of a call.
  Backoff::Options backoff;
  // Told of each failure that is tried again; may be null.
  std::function<void(const absl::Status&)> on_retry;
  // Five letters behind a generateName; the API server's by default.
  std::function<std::string()> name_suffix;
};

// Repeats calls of another client while the cluster is not reached or is
// overloaded, as long as the back-off allows, and not before the cluster wants
// it; an interrupted pause is CANCELLED. Watches and logs are not repeated:
// whoever reads them knows where to go on.
//
// A create may have succeeded although its answer got lost, so a name is chosen
// here, from the generateName as the API server would, and each create carries
// a mark of its own: when it finds an object of its name, the mark tells
// whether that is ours. Another name is drawn only if it is somebody else's;
// an error behind which the object may have been made names it. Who may not
// look at the object is told that it was made if its name was drawn and an
// answer was lost: that five letters are somebody else's, too, is less likely
// by far. Thread-safe.
std::unique_ptr<KubeClient> MakeRetryingKubeClient(
    std::unique_ptr<KubeClient> client, RetryOptions options);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_RETRYING_KUBE_CLIENT_H_
