#include "operator/kube/http_kube_client.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/kube/connection.h"
#include "operator/kube/credentials.h"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/kube_config.h"
#include "operator/kube/kube_error.h"
#include "operator/kube/resource.h"
#include "operator/kube/watch_stream.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

constexpr int kPageSize = 500;

// The part of an address behind "?"; empty values are left out.
class Query {
 public:
  Query& Add(absl::string_view key, const std::string& value) {
    if (!value.empty()) {
      parts_.push_back(absl::StrCat(key, "=", EscapeUrl(value)));
    }
    return *this;
  }
  std::string Behind(const std::string& path) const {
    return parts_.empty() ? path
                          : absl::StrCat(path, "?", absl::StrJoin(parts_, "&"));
  }

 private:
  std::vector<std::string> parts_;
};

class HttpKubeClient : public KubeClient {
 public:
  HttpKubeClient(KubeConfig config, ServerAddress address,
                 const HttpKubeClientOptions& options)
      : config_(std::move(config)),
        address_(std::move(address)),
        options_(options),
        credentials_(config_, *options.clock, options.cancel_fd) {}

  absl::StatusOr<json> Get(const Resource& resource,
                           const std::string& in_namespace,
                           const std::string& name) override;
  absl::StatusOr<json> Create(const Resource& resource,
                              const std::string& in_namespace,
                              const json& object,
                              const CreateOptions& options) override;
  absl::StatusOr<json> Patch(const Resource& resource,
                             const std::string& in_namespace,
                             const std::string& name,
                             const json& patch) override;
  absl::StatusOr<json> List(const Resource& resource,
                            const std::string& in_namespace,
                            const ListOptions& options) override;
  absl::Status Watch(const Resource& resource, const std::string& in_namespace,
                     const WatchOptions& options,
                     const EventSink& sink) override;
  absl::Status ReadLog(const std::string& in_namespace, const std::string& pod,
                       const LogOptions& options,
                       const ByteSink& sink) override;

 private:
  CallContext ContextOf(absl::string_view verb, const Resource& resource,
                        const std::string& in_namespace,
                        const std::string& name = "") const;
  HttpCall CallTo(std::string path) const;
  // A successful answer.
  absl::StatusOr<HttpAnswer> Ask(const HttpCall& call,
                                 const CallContext& context);
  absl::StatusOr<json> AskForJson(const HttpCall& call,
                                  const CallContext& context);

  const KubeConfig config_;
  const ServerAddress address_;
  const HttpKubeClientOptions options_;
  Credentials credentials_;
};

CallContext HttpKubeClient::ContextOf(absl::string_view verb,
                                      const Resource& resource,
                                      const std::string& in_namespace,
                                      const std::string& name) const {
  return {std::string(verb),
          resource.plural,
          resource.group,
          resource.namespaced ? in_namespace : "",
          name,
          config_.server,
          config_.source};
}

HttpCall HttpKubeClient::CallTo(std::string path) const {
  HttpCall call;
  call.path = std::move(path);
  call.connect_timeout = options_.connect_timeout;
  call.read_timeout = options_.answer_timeout;
  call.cancel_fds[0] = options_.cancel_fd;
  return call;
}

absl::StatusOr<HttpAnswer> HttpKubeClient::Ask(const HttpCall& call,
                                               const CallContext& context) {
  for (bool renewed = false;; renewed = true) {
    const absl::StatusOr<Credential> credential = credentials_.Get();
    if (!credential.ok()) return NotDone(credential.status());
    RK_ASSIGN_OR_RETURN(HttpAnswer answer,
                        Send(call, address_, config_, *credential));
    if (answer.status == 401 && !renewed && credentials_.Refused(*credential)) {
      continue;
    }
    if (answer.status / 100 == 2) return answer;
    return StatusOfAnswer(answer.status, answer.body, answer.retry_after,
                          context);
  }
}

absl::StatusOr<json> HttpKubeClient::AskForJson(const HttpCall& call,
                                                const CallContext& context) {
  RK_ASSIGN_OR_RETURN(const HttpAnswer answer, Ask(call, context));
  if (answer.cut) {
    return absl::UnavailableError(
        absl::StrCat("the connection to the cluster at ", config_.server,
                     " broke in the middle of an answer"));
  }
  json object = json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  if (object.is_object()) return object;
  return absl::FailedPreconditionError(
      absl::StrCat("the server at ", config_.server,
                   " does not answer in JSON; is it a Kubernetes API?"));
}

absl::StatusOr<json> HttpKubeClient::Get(const Resource& resource,
                                         const std::string& in_namespace,
                                         const std::string& name) {
  return AskForJson(CallTo(resource.Path(in_namespace, name)),
                    ContextOf("get", resource, in_namespace, name));
}

absl::StatusOr<json> HttpKubeClient::Create(const Resource& resource,
                                            const std::string& in_namespace,
                                            const json& object,
                                            const CreateOptions& options) {
  HttpCall call = CallTo(Query()
                             .Add("fieldManager", options.field_manager)
                             .Add("dryRun", options.dry_run ? "All" : "")
                             .Behind(resource.Path(in_namespace)));
  call.method = "POST";
  call.content_type = "application/json";
  call.body = object.dump(-1, ' ', false, json::error_handler_t::replace);
  return AskForJson(call, ContextOf("create", resource, in_namespace));
}

absl::StatusOr<json> HttpKubeClient::Patch(const Resource& resource,
                                           const std::string& in_namespace,
                                           const std::string& name,
                                           const json& patch) {
  HttpCall call = CallTo(Query()
                             .Add("fieldManager", "rekindle")
                             .Behind(resource.Path(in_namespace, name)));
  call.method = "PATCH";
  call.content_type = "application/merge-patch+json";
  call.body = patch.dump(-1, ' ', false, json::error_handler_t::replace);
  return AskForJson(call, ContextOf("patch", resource, in_namespace, name));
}

absl::StatusOr<json> HttpKubeClient::List(const Resource& resource,
                                          const std::string& in_namespace,
                                          const ListOptions& options) {
  json all = json::array();
  std::string go_on;
  for (;;) {
    const HttpCall call =
        CallTo(Query()
                   .Add("labelSelector", options.label_selector)
                   .Add("fieldSelector", options.field_selector)
                   .Add("limit", absl::StrCat(kPageSize))
                   .Add("continue", go_on)
                   .Behind(resource.Path(in_namespace)));
    absl::StatusOr<json> page =
        AskForJson(call, ContextOf("list", resource, in_namespace));
    if (absl::IsOutOfRange(page.status()) && !go_on.empty()) {
      // The pages behind are too old by now: from the beginning.
      all = json::array();
      go_on.clear();
      continue;
    }
    RK_RETURN_IF_ERROR(page.status());
    for (json& item : (*page)["items"]) {
      if (item.is_object()) all.push_back(std::move(item));
    }
    go_on = TextAt(*page, "/metadata/continue");
    if (!go_on.empty()) continue;
    (*page)["items"] = std::move(all);
    return page;
  }
}

absl::Status HttpKubeClient::Watch(const Resource& resource,
                                   const std::string& in_namespace,
                                   const WatchOptions& options,
                                   const EventSink& sink) {
  const int64_t seconds = absl::ToInt64Seconds(options.timeout);
  HttpCall call = CallTo(Query()
                             .Add("watch", "true")
                             .Add("allowWatchBookmarks", "true")
                             .Add("labelSelector", options.which.label_selector)
                             .Add("fieldSelector", options.which.field_selector)
                             .Add("resourceVersion", options.resource_version)
                             .Add("timeoutSeconds", absl::StrCat(seconds))
                             .Behind(resource.Path(in_namespace)));
  call.read_timeout = options_.idle_timeout;
  call.cancel_fds[1] = options.cancel_fd;
  WatchStream stream(sink);
  call.on_bytes = [&stream](absl::string_view bytes) {
    return stream.Feed(bytes);
  };
  const CallContext context = ContextOf("watch", resource, in_namespace);
  RK_RETURN_IF_ERROR(Ask(call, context).status());
  return stream.status();
}

absl::Status HttpKubeClient::ReadLog(const std::string& in_namespace,
                                     const std::string& pod,
                                     const LogOptions& options,
                                     const ByteSink& sink) {
  const auto yes = [](bool given) { return given ? "true" : ""; };
  HttpCall call =
      CallTo(Query()
                 .Add("container", options.container)
                 .Add("follow", yes(options.follow))
                 .Add("timestamps", yes(options.timestamps))
                 .Add("tailLines", options.tail_lines.has_value()
                                       ? absl::StrCat(*options.tail_lines)
                                       : "")
                 .Add("sinceTime",
                      options.since.has_value()
                          ? absl::FormatTime(absl::RFC3339_full, *options.since,
                                             absl::UTCTimeZone())
                          : "")
                 .Behind(kPods.Path(in_namespace, pod, "log")));
  // A step may be silent for hours.
  if (options.follow) call.read_timeout = absl::Hours(24);
  call.cancel_fds[1] = options.cancel_fd;
  call.on_bytes = sink;
  CallContext context = ContextOf("get", kPods, in_namespace, pod);
  context.resource = "pods/log";
  RK_ASSIGN_OR_RETURN(const HttpAnswer answer, Ask(call, context));
  if (!answer.cut) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("the log of pod '", pod, "' broke off"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<KubeClient>> MakeHttpKubeClient(
    KubeConfig config, const HttpKubeClientOptions& options) {
  RK_ASSIGN_OR_RETURN(ServerAddress address, ParseServerAddress(config.server));
  return std::make_unique<HttpKubeClient>(std::move(config), std::move(address),
                                          options);
}

}  // namespace rekindle::argo
