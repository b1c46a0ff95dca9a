#ifndef REKINDLE_OPERATOR_KUBE_CREDENTIALS_H_
#define REKINDLE_OPERATOR_KUBE_CREDENTIALS_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "operator/kube/kube_config.h"

namespace rekindle::argo {

// What a call proves itself with. What is not used is empty.
struct Credential {
  std::string token;
  std::string username;  // with a password: basic authentication
  std::string password;
  std::string client_cert_pem;
  std::string client_key_pem;
  absl::Time expires = absl::InfiniteFuture();
};

// The credential of a user, fresh for each call: token files are read again, a
// plugin runs again shortly before what it gave expires, or when the cluster
// refused it. Thread-safe.
class Credentials {
 public:
  // `clock` is not owned and must outlive this; once `cancel_fd` is readable,
  // no plugin is waited for. -1: none.
  Credentials(const KubeConfig& config, const Clock& clock, int cancel_fd = -1);

  //   UNAUTHENTICATED      a plugin failed, or gave nothing usable
  //   FAILED_PRECONDITION  a plugin is not installed
  //   NOT_FOUND            there is no token file
  //   CANCELLED            we were interrupted
  absl::StatusOr<Credential> Get();

  // The cluster refused `used`. Whether Get() may answer something better now.
  bool Refused(const Credential& used);

 private:
  absl::StatusOr<Credential> FromPlugin();

  const UserConfig user_;
  const std::string cluster_info_;  // JSON for plugins; empty: none
  const Clock& clock_;
  const int cancel_fd_;
  absl::Mutex mutex_;
  std::optional<Credential> from_plugin_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_CREDENTIALS_H_
