#include "operator/kube/object_follower.h"

#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/backoff.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/resource.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

std::string UidOf(const json& object) {
  return TextAt(object, "/metadata/uid");
}

}  // namespace

ObjectFollower::ObjectFollower(KubeClient& client, const Resource& resource,
                               std::string in_namespace, FollowOptions options)
    : client_(client),
      resource_(resource),
      namespace_(std::move(in_namespace)),
      options_(std::move(options)) {}

void ObjectFollower::Remember(const json& object) {
  known_[UidOf(object)] = object;
}

absl::Status ObjectFollower::Run(const ChangeSink& sink) {
  for (;;) {
    absl::Status status = version_.empty() ? Relist(sink) : WatchOnce(sink);
    if (enough_) return absl::OkStatus();
    if (absl::IsOutOfRange(status)) {
      version_.clear();
      status = absl::OkStatus();
    }
    if (!status.ok() && !IsTransient(status)) return status;
    if (!Pause(status)) {
      return status.ok() ? absl::CancelledError("interrupted") : status;
    }
  }
}

absl::Status ObjectFollower::Relist(const ChangeSink& sink) {
  RK_ASSIGN_OR_RETURN(const json list,
                      client_.List(resource_, namespace_, options_.which));
  std::map<std::string, json> vanished = std::move(known_);
  known_.clear();
  progress_ = true;
  for (json item : list.value("items", json::array())) {
    // A list leaves out what all its items share.
    item["kind"] = resource_.kind;
    item["apiVersion"] = resource_.ApiVersion();
    vanished.erase(UidOf(item));
    if (!Take(item, /*deleted=*/false, sink)) return absl::OkStatus();
  }
  for (const auto& [uid, object] : vanished) {
    if (!Take(object, /*deleted=*/true, sink)) return absl::OkStatus();
  }
  version_ = TextAt(list, "/metadata/resourceVersion");
  return absl::OkStatus();
}

absl::Status ObjectFollower::WatchOnce(const ChangeSink& sink) {
  WatchOptions options;
  options.which = options_.which;
  options.resource_version = version_;
  return client_.Watch(
      resource_, namespace_, options, [&](const WatchEvent& event) {
        progress_ = true;
        lost_ = false;
        const std::string version = event.ResourceVersion();
        if (!version.empty()) version_ = version;
        if (event.kind == WatchEvent::Kind::kBookmark) return true;
        return Take(event.object, event.kind == WatchEvent::Kind::kDeleted,
                    sink);
      });
}

bool ObjectFollower::Take(const json& object, bool deleted,
                          const ChangeSink& sink) {
  if (deleted) {
    known_.erase(UidOf(object));
  } else {
    known_[UidOf(object)] = object;
  }
  enough_ = !sink(object, deleted);
  return !enough_;
}

bool ObjectFollower::Pause(const absl::Status& status) {
  if (status.ok()) lost_ = false;
  if (!status.ok() && !lost_) {
    lost_ = true;
    if (options_.on_lost) options_.on_lost(status);
  }
  if (progress_ || !backoff_.has_value()) backoff_.emplace(options_.backoff);
  progress_ = false;
  if (backoff_->WaitForNextTry()) return true;
  if (!status.ok()) return false;
  // Nothing is wrong: the server ends idle watches, and nothing happens. Only
  // an interruption ends this.
  backoff_.emplace(options_.backoff);
  return backoff_->WaitForNextTry();
}

}  // namespace rekindle::argo
