#include "operator/kube/retrying_kube_client.h"

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "base/uuid.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/kube_error.h"
#include "operator/kube/resource.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

// No vowels: no words.
std::string RandomSuffix() {
  constexpr absl::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  thread_local std::mt19937 generator{std::random_device{}()};
  std::uniform_int_distribution<size_t> index(0, kLetters.size() - 1);
  std::string suffix;
  while (suffix.size() < 5) suffix.push_back(kLetters[index(generator)]);
  return suffix;
}

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

// The API server keeps room for what it adds.
std::string GeneratedName(const json& object, const std::string& suffix) {
  constexpr size_t kLongestBase = 248;
  const std::string base = TextAt(object, "/metadata/generateName");
  return absl::StrCat(base.substr(0, kLongestBase), suffix);
}

class RetryingKubeClient : public KubeClient {
 public:
  RetryingKubeClient(std::unique_ptr<KubeClient> client, RetryOptions options)
      : client_(std::move(client)), options_(std::move(options)) {
    if (!options_.name_suffix) options_.name_suffix = RandomSuffix;
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
  absl::StatusOr<json> Retry(
      const std::function<absl::StatusOr<json>()>& call) const {
    Backoff backoff(options_.backoff);
    absl::StatusOr<json> answer = call();
    while (IsTransient(answer)) {
      const absl::Status failed = answer.status();
      const absl::Duration wanted = RetryAfter(failed);
      if (wanted > options_.backoff.total) break;
      if (options_.on_retry) options_.on_retry(failed);
      if (wanted > absl::ZeroDuration() && !options_.backoff.sleep(wanted)) {
        break;
      }
      if (!backoff.WaitForNextTry()) break;
      answer = call();
    }
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
  const bool generated = NameOf(object).empty();
  absl::StatusOr<json> answer;
  for (int i = 0; i < kNames; ++i) {
    json named = object;
    if (generated) {
      named["metadata"]["name"] = GeneratedName(object, options_.name_suffix());
    }
    int tries = 0;
    answer = Retry([&] {
      ++tries;
      return client_->Create(resource, in_namespace, named, marked);
    });
    if (!absl::IsAlreadyExists(answer.status())) return answer;
    if (tries > 1) {
      absl::StatusOr<json> there = Get(resource, in_namespace, NameOf(named));
      if (there.ok() && WasMadeBy(*there, marked.field_manager)) return there;
    }
    if (!generated) return answer;
  }
  return answer;
}

}  // namespace

std::unique_ptr<KubeClient> MakeRetryingKubeClient(
    std::unique_ptr<KubeClient> client, RetryOptions options) {
  return std::make_unique<RetryingKubeClient>(std::move(client),
                                              std::move(options));
}

}  // namespace rekindle::argo
