#include "metadata/server/http_server.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <google/protobuf/message.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "metadata/api/open_store.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_metrics.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/http/answer_text.h"
#include "metadata/server/http/front.h"
#include "metadata/server/http/limits.h"
#include "metadata/server/http/message.h"
#include "metadata/server/http_status.h"
#include "metadata/server/json_codec.h"
#include "metadata/server/limits/client_budget.h"
#include "metadata/server/limits/connection_limits.h"
#include "metadata/server/method_table.h"
#include "metadata/server/openapi.h"
#include "metadata/server/peer.h"

namespace rekindle {
namespace {

using ::google::protobuf::Message;
using http::Answer;
using http::Request;

constexpr char kApi[] = "/api/v1/";
constexpr char kReads[] = "/api/v1/Get";
constexpr char kHealthz[] = "/healthz";
constexpr char kReadyz[] = "/readyz";
constexpr char kMetrics[] = "/metrics";
constexpr char kOpenApi[] = "/api/v1/openapi.json";
// In the access table.
constexpr char kGetOpenApi[] = "GET /api/v1/openapi.json";
constexpr char kJson[] = "application/json";
constexpr char kText[] = "text/plain";
// Larger answers are written one after the other, because meanwhile they are in
// memory several times.
constexpr size_t kLargeAnswer = 1 << 20;
// Of a path in an error's message.
constexpr size_t kEnoughOfAPath = 200;

Answer Error(const absl::Status& error, int http_status) {
  return http::AnswerOf({http_status, error});
}

Answer Error(const absl::Status& error) {
  return Error(error, HttpStatusOf(error.code()));
}

Answer Ok(std::string body, const char* content_type) {
  return {200, content_type, std::move(body)};
}

bool IsJson(const http::Head& head) {
  const std::string* type = head.Find("content-type");
  return type != nullptr && absl::StartsWithIgnoreCase(*type, kJson);
}

// What a request shows of who sends it.
Credentials CredentialsOf(const http::Head& head, const Peer& peer) {
  Credentials credentials;
  credentials.peer = peer;
  for (const http::Header& header : head.headers) {
    if (header.name == "authorization") {
      credentials.authorization.push_back(header.value);
    }
  }
  return credentials;
}

// The size of a file in bytes; 0 if there is none.
double SizeOf(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return error ? 0 : static_cast<double>(size);
}

http::FrontOptions FrontOptionsOf(const ServerOptions& options) {
  http::FrontOptions front;
  front.host = options.host;
  front.port = *options.http_port;
  front.tls = options.tls;
  front.allowed_hosts = options.http_allowed_hosts;
  front.limits.body_bytes = options.max_message_bytes;
  const ClientBudget::Limits connections =
      ConnectionLimits(MaxOpenFiles(), options.max_connections,
                       options.max_connections_per_client);
  front.limits.connections = connections.all;
  front.limits.connections_per_client = connections.each;
  front.limits.shared_bytes =
      std::max(front.limits.shared_bytes, front.limits.body_bytes);
  return front;
}

class JsonServer : public HttpServer, public http::Handler {
 public:
  JsonServer(Store& store, CallRunner& calls, CallGate& gate, Ready ready,
             ServerOptions options)
      : store_(store),
        calls_(calls),
        gate_(gate),
        ready_(std::move(ready)),
        options_(std::move(options)) {
    for (const Method& method : AllMethods()) {
      methods_[method.name()] = &method;
    }
  }

  absl::Status Start() {
    RK_ASSIGN_OR_RETURN(
        front_, StartFront(FrontOptionsOf(options_), *this, SystemClock()));
    return absl::OkStatus();
  }

  int port() const override { return front_->port(); }

  void Drain() override { draining_ = true; }

  void Stop(absl::Time deadline) override {
    Drain();
    front_->Stop(deadline);
  }

  http::Lane LaneOf(const http::Head& head) const override {
    if (head.path == kHealthz) return http::Lane::kAtOnce;
    if (head.path == kReadyz || head.path == kMetrics) {
      return http::Lane::kStatus;
    }
    return absl::StartsWith(head.path, kReads) ? http::Lane::kReads
                                               : http::Lane::kCalls;
  }

  std::optional<http::Refusal> Judge(const http::Head& head,
                                     const Peer& peer) override {
    const absl::StatusOr<absl::string_view> call = CallOf(head);
    // One that is refused anyway needs no body; without one Handle() says it.
    if (!call.ok() && !head.has_body()) return std::nullopt;
    const absl::Status status =
        call.ok() ? Enter(head, peer, *call).status() : call.status();
    if (status.ok()) return std::nullopt;
    return http::Refusal{HttpStatusOf(status.code()), status};
  }

  Answer Handle(Request request) override {
    const std::string& method = request.head.method;
    if (method == "GET" || method == "HEAD") return Get(request);
    if (method == "POST") return CallMethod(std::move(request));
    return RefuseVerb(request);
  }

 private:
  Answer Get(const Request& request) {
    const std::string& path = request.head.path;
    if (path == kHealthz) return Ok("ok\n", kText);
    if (path == kReadyz) return Readyz();
    if (path == kMetrics) return Metrics();
    if (path == kOpenApi) return OpenApi(request);
    return RefuseVerb(request);
  }

  Answer Readyz() {
    const absl::Status ready = ready_();
    return ready.ok() ? Ok("ok\n", kText) : Error(ready, 503);
  }

  Answer Metrics() const {
    std::string text = calls_.metrics().ToText();
    AppendMetric("rekindle_store_bytes", "gauge", "Size of the database file.",
                 SizeOf(options_.database_file), &text);
    AppendMetric("rekindle_store_wal_bytes", "gauge",
                 "Size of the database's write-ahead log.",
                 SizeOf(absl::StrCat(options_.database_file, "-wal")), &text);
    AppendMetric("rekindle_uptime_seconds", "gauge",
                 "How long the server has run.",
                 absl::ToDoubleSeconds(absl::Now() - started_), &text);
    absl::StrAppendFormat(&text,
                          "# HELP rekindle_build_info Which program this is.\n"
                          "# TYPE rekindle_build_info gauge\n"
                          "rekindle_build_info{version=\"%s\"} 1\n",
                          options_.version);
    return Ok(std::move(text), "text/plain; version=0.0.4; charset=utf-8");
  }

  // What a request asks for, in the access table.
  //
  //   NOT_FOUND  there is nothing at its path
  absl::StatusOr<absl::string_view> CallOf(const http::Head& head) const {
    if (head.path == kOpenApi) return kGetOpenApi;
    RK_ASSIGN_OR_RETURN(const Method* const method, Find(head.path));
    return method->name();
  }

  absl::StatusOr<AdmittedCall> Enter(const http::Head& head, const Peer& peer,
                                     absl::string_view call) {
    return gate_.Enter(CredentialsOf(head, peer), "http", call);
  }

  Answer OpenApi(const Request& request) {
    const auto admitted = Enter(request.head, request.peer, kGetOpenApi);
    if (!admitted.ok()) return Error(admitted.status());
    return Ok(OpenApiDocument(AllMethods(), options_.version), kJson);
  }

  Answer CallMethod(Request request) {
    const absl::StatusOr<const Method*> method = Find(request.head.path);
    if (!method.ok()) return Error(method.status());
    if (!IsJson(request.head)) return RefuseType();
    absl::StatusOr<AdmittedCall> admitted =
        Enter(request.head, request.peer, (*method)->name());
    if (!admitted.ok()) return Error(admitted.status());
    const std::unique_ptr<Message> asked((*method)->request->New());
    std::unique_ptr<Message> answer;
    std::string text;
    const absl::Status status =
        calls_.Run("http", (*method)->name(), absl::InfiniteFuture(),
                   [&]() -> absl::Status {
                     RK_RETURN_IF_ERROR(ParseJson(request.body, asked.get()));
                     request.body = {};  // it may be large
                     RK_ASSIGN_OR_RETURN(answer, Call(**method, *asked));
                     RK_ASSIGN_OR_RETURN(text, ToText(answer.get()));
                     return absl::OkStatus();
                   });
    admitted->End(asked.get(), answer.get(), status);
    return status.ok() ? Ok(std::move(text), kJson) : Error(status);
  }

  absl::StatusOr<std::unique_ptr<Message>> Call(const Method& method,
                                                const Message& request) {
    if (draining_) {
      return absl::UnavailableError("the server is shutting down");
    }
    return method.call(store_, request);
  }

  absl::StatusOr<std::string> ToText(Message* answer) {
    const size_t size = answer->ByteSizeLong();
    if (size > static_cast<size_t>(options_.max_message_bytes)) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "the answer has ", size, " bytes, more than the server's limit of ",
          options_.max_message_bytes, "; ask for fewer nodes at a time"));
    }
    std::unique_lock<std::mutex> one_by_one(large_answer_, std::defer_lock);
    if (size > kLargeAnswer) one_by_one.lock();
    return ToJsonText(answer);
  }

  // The method that `path` names.
  absl::StatusOr<const Method*> Find(absl::string_view path) const {
    absl::string_view name = path.substr(0, kEnoughOfAPath);
    if (!absl::ConsumePrefix(&name, kApi)) {
      return absl::NotFoundError(
          absl::StrCat("there is nothing at ", name,
                       "; /api/v1/openapi.json lists what there is"));
    }
    const auto found = methods_.find(std::string(name));
    if (found != methods_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, method] : methods_) names.push_back(known);
    const auto nearest = NearestName(std::string(name), names);
    return absl::NotFoundError(absl::StrCat(
        "there is no method '", name, "'; ",
        nearest.has_value() ? absl::StrCat("did you mean '", *nearest, "'?")
                            : "/api/v1/openapi.json lists them"));
  }

  Answer RefuseVerb(const Request& request) const {
    const absl::StatusOr<const Method*> method = Find(request.head.path);
    if (!method.ok()) return Error(method.status());
    Answer answer = Error(
        absl::UnimplementedError(absl::StrCat(
            "call ", (*method)->name(), " with POST and a JSON body, not ",
            request.head.method.substr(0, kEnoughOfAPath))),
        405);
    answer.headers.push_back({"Allow", "POST"});
    return answer;
  }

  // A page in a browser cannot send this type to another site unasked, so it
  // cannot write into a store on its reader's machine.
  static Answer RefuseType() {
    return Error(
        absl::InvalidArgumentError(
            "the body must be JSON, sent as Content-Type: application/json "
            "(curl --json does)"),
        415);
  }

  Store& store_;
  CallRunner& calls_;
  CallGate& gate_;
  const Ready ready_;
  const ServerOptions options_;
  const absl::Time started_ = absl::Now();
  std::map<std::string, const Method*> methods_;
  std::atomic<bool> draining_ = false;
  std::mutex large_answer_;
  // The last, because it calls this one until it is destroyed.
  std::unique_ptr<http::Front> front_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> StartHttpServer(
    Store& store, CallRunner& calls, CallGate& gate, Ready ready,
    const ServerOptions& options) {
  auto server = std::make_unique<JsonServer>(store, calls, gate,
                                             std::move(ready), options);
  RK_RETURN_IF_ERROR(server->Start());
  return server;
}

}  // namespace rekindle
