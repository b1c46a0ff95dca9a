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
      return interrupted_ ? absl::CancelledError("interrupted") : status;
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
  options.cancel_fd = options_.cancel_fd;
  const absl::Time start = options_.backoff.clock->Now();
  const absl::Status status = client_.Watch(
      resource_, namespace_, options, [&](const WatchEvent& event) {
        progress_ = true;
        NoteConnected();
        const std::string version = event.ResourceVersion();
        if (!version.empty()) version_ = version;
        if (event.kind == WatchEvent::Kind::kBookmark) return true;
        return Take(event.object, event.kind == WatchEvent::Kind::kDeleted,
                    sink);
      });
  // That nothing happened is no fault of the connection; but who ends watches
  // at once is not asked for ever more of them.
  const absl::Duration lasted = options_.backoff.clock->Now() - start;
  if (status.ok() && lasted > options_.backoff.longest) progress_ = true;
  return status;
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

void ObjectFollower::StartBackoff() {
  Backoff::Options options = options_.backoff;
  options.sleep = [this](absl::Duration duration) {
    interrupted_ = !options_.backoff.sleep(duration);
    return !interrupted_;
  };
  backoff_.emplace(std::move(options));
}

void ObjectFollower::NoteConnected() {
  if (lost_ && options_.on_found) options_.on_found();
  lost_ = false;
}

bool ObjectFollower::Pause(const absl::Status& status) {
  // How long the cluster may be away is counted from when it was lost.
  const bool just_lost = !status.ok() && !lost_;
  if (status.ok()) NoteConnected();
  if (just_lost) {
    lost_ = true;
    if (options_.on_lost) options_.on_lost(status);
  }
  if (progress_ || just_lost || !backoff_.has_value()) StartBackoff();
  progress_ = false;
  if (backoff_->WaitForNextTry()) return true;
  if (!status.ok() || interrupted_) return false;
  // Nothing is wrong: the server ends idle watches, and nothing happens. Only
  // an interruption ends this.
  StartBackoff();
  return backoff_->WaitForNextTry();
}

}  // namespace rekindle::argo
