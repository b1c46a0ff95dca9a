#ifndef REKINDLE_OPERATOR_KUBE_HTTP_KUBE_CLIENT_H_
#define REKINDLE_OPERATOR_KUBE_HTTP_KUBE_CLIENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/kube_config.h"

namespace rekindle::argo {

struct HttpKubeClientOptions {
  absl::Duration connect_timeout = absl::Seconds(10);
  absl::Duration answer_timeout = absl::Seconds(30);
  // A watch that is silent for so long is taken for dead: bookmarks come every
  // minute or so.
  absl::Duration idle_timeout = absl::Minutes(2);
  // Once readable, calls end with CANCELLED; -1: none. Not owned.
  int cancel_fd = -1;
  const Clock* clock = &SystemClock();  // not owned, must outlive the client
};

// The API of the cluster that `config` names, over HTTP/1.1 and TLS. Each call
// has a connection of its own, made with the credential of the moment; one that
// is refused is renewed once, if it can be.
//
//   INVALID_ARGUMENT  the server's address cannot be understood
absl::StatusOr<std::unique_ptr<KubeClient>> MakeHttpKubeClient(
    KubeConfig config, const HttpKubeClientOptions& options = {});

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_HTTP_KUBE_CLIENT_H_
