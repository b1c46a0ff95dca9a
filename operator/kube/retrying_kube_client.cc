#include "operator/kube/retrying_kube_client.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "base/name_suffix.h"
#include "base/status_util.h"
#include "base/uuid.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/kube_error.h"
#include "operator/kube/resource.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

bool WasMadeBy(const json& object, const std::string& manager) {
  const json::json_pointer at("/metadata/managedFields");
  if (!object.contains(at)) return false;
  for (const json& field : object[at]) {
    if (TextAt(field, "/manager") == manager) return true;
  }
  return false;
}

std::string NameOf(const json& object) {
  return TextAt(object, "/metadata/name");
}

// The API server keeps names short enough for a label, with what it adds.
std::string GeneratedName(const json& object, const std::string& suffix) {
  constexpr size_t kLongestBase = 63 - 5;
  const std::string base = TextAt(object, "/metadata/generateName");
  return absl::StrCat(base.substr(0, kLongestBase), suffix);
}

// Whether a create may have taken effect, although it was not answered so.
bool MayBeDone(const absl::Status& status) {
  return (IsTransient(status) || absl::IsCancelled(status)) &&
         !IsNotDone(status);
}

std::string HowToLook(const std::string& in_namespace,
                      const std::string& name) {
  return absl::StrCat("'rekindle watch -n ", in_namespace, " ", name,
                      "' tells");
}

// The pauses of a call that fails, from its first failure on: how long that
// took to come is no reason to give up.
class Pauses {
 public:
  explicit Pauses(const Backoff::Options& options)
      : options_(options),
        give_up_(options.clock->Now() + options.total),
        backoff_(Watched()) {}
  Pauses(const Pauses&) = delete;
  Pauses& operator=(const Pauses&) = delete;

  // Waits until the next try is due, as long as the cluster `wants`, if it
  // does. False when it is time to give up, or we were interrupted.
  bool Wait(absl::Duration wants) {
    if (wants == absl::ZeroDuration()) return backoff_.WaitForNextTry();
    if (wants > options_.total || options_.clock->Now() >= give_up_) {
      return false;
    }
    return Sleep(wants);
  }
  bool interrupted() const { return interrupted_; }

 private:
  bool Sleep(absl::Duration duration) {
    interrupted_ = !options_.sleep(duration);
    return !interrupted_;
  }
  Backoff::Options Watched() {
    Backoff::Options watched = options_;
    watched.sleep = [this](absl::Duration duration) { return Sleep(duration); };
    return watched;
  }

  const Backoff::Options options_;
  const absl::Time give_up_;
  Backoff backoff_;
  bool interrupted_ = false;
};

// A create under one name, and what is known of it.
struct Creation {
  const Resource& resource;
  const std::string& in_namespace;
  json object;  // with its name
  const CreateOptions& options;
  const bool drawn;         // its name, by us
  bool unanswered = false;  // a try that may have been done
  bool taken = false;       // its name, by somebody else's object

  // `failed`, with how to find the object if it may have been made.
  absl::Status WithName(const absl::Status& failed) const;
  // What to make of an object of that name that `looking` did not show.
  absl::StatusOr<json> Unseen(const absl::Status& exists,
                              const absl::Status& looking) const;
};

absl::Status Creation::WithName(const absl::Status& failed) const {
  if (!unanswered) return failed;
  return WithNote(failed,
                  absl::StrCat(resource.kind, " '", NameOf(object),
                               "' may have been created; ",
                               HowToLook(in_namespace, NameOf(object))));
}

absl::StatusOr<json> Creation::Unseen(const absl::Status& exists,
                                      const absl::Status& looking) const {
  if (absl::IsCancelled(looking)) return WithName(looking);
  if (drawn && unanswered && absl::IsPermissionDenied(looking)) {
    json ours = object;
    ours["metadata"]["namespace"] = in_namespace;
    return ours;
  }
  if (!drawn && !unanswered) return exists;
  return WithNote(
      exists,
      absl::StrCat("whether it is ours is not known: ", looking.message(), "; ",
                   HowToLook(in_namespace, NameOf(object))));
}

class RetryingKubeClient : public KubeClient {
 public:
  RetryingKubeClient(std::unique_ptr<KubeClient> client, RetryOptions options)
      : client_(std::move(client)), options_(std::move(options)) {
    if (!options_.name_suffix) options_.name_suffix = RandomNameSuffix;
  }

  absl::StatusOr<json> Get(const Resource& resource,
                           const std::string& in_namespace,
                           const std::string& name) override {
    return Retry([&] { return client_->Get(resource, in_namespace, name); });
  }
  absl::StatusOr<json> Create(const Resource& resource,
                              const std::string& in_namespace,
                              const json& object,
                              const CreateOptions& options) override;
  // A merge patch does nothing the second time.
  absl::StatusOr<json> Patch(const Resource& resource,
                             const std::string& in_namespace,
                             const std::string& name,
                             const json& patch) override {
    return Retry(
        [&] { return client_->Patch(resource, in_namespace, name, patch); });
  }
  absl::StatusOr<json> List(const Resource& resource,
                            const std::string& in_namespace,
                            const ListOptions& options) override {
    return Retry(
        [&] { return client_->List(resource, in_namespace, options); });
  }
  absl::Status Watch(const Resource& resource, const std::string& in_namespace,
                     const WatchOptions& options,
                     const EventSink& sink) override {
    return client_->Watch(resource, in_namespace, options, sink);
  }
  absl::Status ReadLog(const std::string& in_namespace, const std::string& pod,
                       const LogOptions& options,
                       const ByteSink& sink) override {
    return client_->ReadLog(in_namespace, pod, options, sink);
  }

 private:
  absl::StatusOr<json> CreateNamed(Creation& creation);
  absl::StatusOr<json> Retry(
      const std::function<absl::StatusOr<json>()>& call) const {
    absl::StatusOr<json> answer = call();
    if (!IsTransient(answer)) return answer;
    Pauses pauses(options_.backoff);
    while (IsTransient(answer)) {
      if (options_.on_retry) options_.on_retry(answer.status());
      if (!pauses.Wait(RetryAfter(answer.status()))) break;
      answer = call();
    }
    if (pauses.interrupted()) return absl::CancelledError("interrupted");
    return answer;
  }

  const std::unique_ptr<KubeClient> client_;
  RetryOptions options_;
};

absl::StatusOr<json> RetryingKubeClient::Create(const Resource& resource,
                                                const std::string& in_namespace,
                                                const json& object,
                                                const CreateOptions& options) {
  constexpr int kNames = 8;
  CreateOptions marked = options;
  marked.field_manager = absl::StrCat(options.field_manager, "-", RandomUuid());
  const bool drawn = NameOf(object).empty();
  absl::StatusOr<json> answer;
  for (int i = 0; i < kNames; ++i) {
    Creation creation{resource, in_namespace, object, marked, drawn};
    if (drawn) {
      creation.object["metadata"]["name"] =
          GeneratedName(object, options_.name_suffix());
    }
    answer = CreateNamed(creation);
    if (!drawn || !creation.taken) return answer;
  }
  return answer;
}

absl::StatusOr<json> RetryingKubeClient::CreateNamed(Creation& creation) {
  absl::StatusOr<json> answer = Retry([&] {
    absl::StatusOr<json> tried =
        client_->Create(creation.resource, creation.in_namespace,
                        creation.object, creation.options);
    if (!creation.options.dry_run && MayBeDone(tried.status())) {
      creation.unanswered = true;
    }
    return tried;
  });
  if (answer.ok()) return answer;
  if (!absl::IsAlreadyExists(answer.status())) {
    return creation.WithName(answer.status());
  }
  // Also if no answer is missing: what lies below us may have sent it twice.
  absl::StatusOr<json> there =
      Get(creation.resource, creation.in_namespace, NameOf(creation.object));
  if (!there.ok()) return creation.Unseen(answer.status(), there.status());
  if (WasMadeBy(*there, creation.options.field_manager)) return there;
  creation.taken = true;
  return answer;
}

}  // namespace

std::unique_ptr<KubeClient> MakeRetryingKubeClient(
    std::unique_ptr<KubeClient> client, RetryOptions options) {
  return std::make_unique<RetryingKubeClient>(std::move(client),
                                              std::move(options));
}

}  // namespace rekindle::argo
