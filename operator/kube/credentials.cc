#include "operator/kube/credentials.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "nlohmann/json.hpp"
#include "operator/kube/exec_plugin.h"
#include "operator/kube/kube_config.h"

namespace rekindle::argo {
namespace {

// A credential this close to its end may be stale when the call arrives.
constexpr absl::Duration kRefreshBefore = absl::Seconds(10);

std::string ClusterInfo(const KubeConfig& config) {
  if (!config.user.exec.has_value() ||
      !config.user.exec->provide_cluster_info) {
    return "";
  }
  nlohmann::json info = {{"server", config.server}};
  if (!config.ca_pem.empty()) {
    info["certificate-authority-data"] = absl::Base64Escape(config.ca_pem);
  }
  if (!config.tls_server_name.empty()) {
    info["tls-server-name"] = config.tls_server_name;
  }
  if (config.insecure_skip_tls_verify) info["insecure-skip-tls-verify"] = true;
  return info.dump();
}

}  // namespace

Credentials::Credentials(const KubeConfig& config, const Clock& clock,
                         int cancel_fd)
    : user_(config.user),
      cluster_info_(ClusterInfo(config)),
      clock_(clock),
      cancel_fd_(cancel_fd) {}

absl::StatusOr<Credential> Credentials::Get() {
  if (user_.exec.has_value()) return FromPlugin();
  Credential credential;
  credential.token = user_.token;
  credential.username = user_.username;
  credential.password = user_.password;
  credential.client_cert_pem = user_.client_cert_pem;
  credential.client_key_pem = user_.client_key_pem;
  if (!user_.token_file.empty()) {
    absl::StatusOr<std::string> token = ReadFile(user_.token_file);
    if (!token.ok()) return WithContext(token.status(), "token of the cluster");
    credential.token = std::string(absl::StripAsciiWhitespace(*token));
  }
  return credential;
}

absl::StatusOr<Credential> Credentials::FromPlugin() {
  absl::MutexLock lock(&mutex_);
  const bool fresh = from_plugin_.has_value() &&
                     clock_.Now() + kRefreshBefore < from_plugin_->expires;
  if (!fresh) {
    RK_ASSIGN_OR_RETURN(from_plugin_,
                        RunExecPlugin(*user_.exec, cluster_info_, cancel_fd_));
  }
  return *from_plugin_;
}

bool Credentials::Refused(const Credential& used) {
  if (user_.exec.has_value()) {
    absl::MutexLock lock(&mutex_);
    // Another thread may have asked the plugin meanwhile.
    if (from_plugin_.has_value() && from_plugin_->token == used.token) {
      from_plugin_.reset();
    }
    return true;
  }
  if (user_.token_file.empty()) return false;
  const absl::StatusOr<Credential> now = Get();
  return now.ok() && now->token != used.token;
}

}  // namespace rekindle::argo
