#ifndef REKINDLE_OPERATOR_KUBE_OBJECT_FOLLOWER_H_
#define REKINDLE_OPERATOR_KUBE_OBJECT_FOLLOWER_H_

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"
#include "operator/kube/resource.h"

namespace rekindle::argo {

struct FollowOptions {
  ListOptions which;
  // Between tries; `total` is how long the cluster may be away before we give
  // up. Its sleeper must be set; false from it means that we were interrupted.
  Backoff::Options backoff;
  // Told once for each time that the cluster is lost; may be null.
  std::function<void(const absl::Status&)> on_lost;
  // Told when it is there again; may be null.
  std::function<void()> on_found;
  // Once readable, a watch ends with CANCELLED; -1: none. Not owned.
  int cancel_fd = -1;
};

// An object as it is now, or, if `deleted`, as it last was. False ends the
// following.
using ChangeSink =
    std::function<bool(const nlohmann::json& object, bool deleted)>;

// Tells of objects as they are and as they change, through whatever happens to
// the connection: lists them, watches from there, goes on where a watch was
// cut, and lists again when the cluster has forgotten that place. An object
// that vanished between two lists is told of as deleted. Of several changes in
// a row some may be left out, never the last. Thread-compatible.
class ObjectFollower {
 public:
  // `client` is not owned and must outlive this.
  ObjectFollower(KubeClient& client, const Resource& resource,
                 std::string in_namespace, FollowOptions options);

  // `object` was there before: if the first list lacks it, it was deleted.
  void Remember(const nlohmann::json& object);

  // Follows until the sink has enough.
  //
  //   UNAVAILABLE  the cluster was away for too long
  //   CANCELLED    we were interrupted
  //   and what trying again does not change: PERMISSION_DENIED and others
  absl::Status Run(const ChangeSink& sink);

 private:
  absl::Status Relist(const ChangeSink& sink);
  absl::Status WatchOnce(const ChangeSink& sink);
  bool Take(const nlohmann::json& object, bool deleted, const ChangeSink& sink);
  void NoteConnected();
  // False when it is time to give up, or we are interrupted.
  bool Pause(const absl::Status& status);
  void StartBackoff();

  KubeClient& client_;
  const Resource resource_;
  const std::string namespace_;
  const FollowOptions options_;
  std::string version_;                          // empty: list first
  std::map<std::string, nlohmann::json> known_;  // by uid
  std::optional<Backoff> backoff_;
  bool progress_ = false;  // since the last pause
  bool lost_ = false;
  bool interrupted_ = false;
  bool enough_ = false;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_OBJECT_FOLLOWER_H_
