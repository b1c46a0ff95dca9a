#ifndef REKINDLE_OPERATOR_KUBE_CONNECTION_H_
#define REKINDLE_OPERATOR_KUBE_CONNECTION_H_
// Internal to operator/kube.

#include <array>
#include <functional>
#include <httplib.h>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "operator/kube/credentials.h"
#include "operator/kube/kube_config.h"

namespace rekindle::argo {

// "https://10.0.0.1:6443/prefix" in its parts.
struct ServerAddress {
  bool tls = true;
  std::string host;  // an IPv6 address is without its brackets
  int port = 443;
  std::string prefix;  // of every path; empty or "/prefix"
};

//   INVALID_ARGUMENT  it is not an address of that form
absl::StatusOr<ServerAddress> ParseServerAddress(const std::string& server);

// One request, and what to do with its answer.
struct HttpCall {
  std::string method = "GET";
  std::string path;  // with its query
  std::string body;
  std::string content_type;
  absl::Duration connect_timeout;
  absl::Duration read_timeout;
  std::array<int, 2> cancel_fds = {-1, -1};  // once one is readable
  // Gets the body of a successful answer as it comes, false ends it; without it
  // the body is collected in the answer.
  std::function<bool(absl::string_view)> on_bytes;
};

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::string retry_after;
  bool ended_by_us = false;  // on_bytes said false
  bool cut = false;          // the connection broke in the body
};

// Sends it over a new connection.
//
//   UNAVAILABLE          nobody is there (IsNotDone), or the connection broke
//                        before an answer came
//   FAILED_PRECONDITION  the server is not the one we trust
//   INVALID_ARGUMENT     a certificate of ours cannot be used
//   CANCELLED            one of `cancel_fds` became readable
//   RESOURCE_EXHAUSTED   this process has no descriptors left
absl::StatusOr<HttpAnswer> Send(const HttpCall& call,
                                const ServerAddress& address,
                                const KubeConfig& config,
                                const Credential& credential);

// The same, to the first of `ips` that takes connections, for a server whose
// certificate has another name than `address`.
absl::StatusOr<HttpAnswer> SendToAnyOf(const std::vector<std::string>& ips,
                                       const HttpCall& call,
                                       const ServerAddress& address,
                                       const KubeConfig& config,
                                       const Credential& credential);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_CONNECTION_H_
