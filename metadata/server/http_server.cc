#include "metadata/server/http_server.h"

#include <atomic>
#include <filesystem>
#include <httplib.h>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <google/protobuf/message.h>
#include <sys/socket.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "metadata/api/open_store.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/bounded_task_queue.h"
#include "metadata/server/call_metrics.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/http_status.h"
#include "metadata/server/json_codec.h"
#include "metadata/server/listening.h"
#include "metadata/server/method_table.h"
#include "metadata/server/openapi.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {
namespace {

using ::google::protobuf::Message;

constexpr size_t kThreads = 32;
// How long a connection may be silent: within a request, and between two.
constexpr time_t kReadSeconds = 10;
constexpr time_t kWriteSeconds = 10;
constexpr time_t kKeepAliveSeconds = 2;
constexpr size_t kRequestsPerConnection = 1000;

constexpr char kApi[] = "/api/v1/";
constexpr char kJson[] = "application/json";
constexpr char kText[] = "text/plain";

// httplib's server with a backlog for more than five connections.
class Listener : public httplib::Server {
 public:
  // The port; 0 if it cannot be had.
  int Bind(const std::string& host, int port) {
    const int bound = port == 0                  ? bind_to_any_port(host)
                      : bind_to_port(host, port) ? port
                                                 : 0;
    if (bound > 0) ::listen(svr_sock_, SOMAXCONN);
    return bound > 0 ? bound : 0;
  }
};

// Two servers on one port would share its calls between two databases, which
// httplib's own options allow.
void OwnThePort(socket_t socket) {
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
}

void Reply(const absl::Status& error, int http_status,
           httplib::Response& response) {
  if (absl::IsUnauthenticated(error)) {
    response.set_header("WWW-Authenticate", "Bearer realm=\"rekindle\"");
  }
  response.status = http_status;
  response.set_content(ErrorBody(error), kJson);
}

void Reply(const absl::Status& error, httplib::Response& response) {
  Reply(error, HttpStatusOf(error.code()), response);
}

// httplib refuses to read a body that is not there.
bool HasBody(const httplib::Request& request) {
  return request.has_header("Content-Length") ||
         request.has_header("Transfer-Encoding");
}

// What a request shows of who sends it. There is no TLS, so no certificate.
Credentials CredentialsOf(const httplib::Request& request) {
  Credentials credentials;
  credentials.peer.address = request.remote_addr;
  const auto [begin, end] = request.headers.equal_range("Authorization");
  for (auto header = begin; header != end; ++header) {
    credentials.authorization.push_back(header->second);
  }
  return credentials;
}

// The size of a file in bytes; 0 if there is none.
double SizeOf(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return error ? 0 : static_cast<double>(size);
}

class HttplibServer : public HttpServer {
 public:
  HttplibServer(Store& store, CallRunner& calls, CallGate& gate,
                ServerOptions options)
      : store_(store),
        calls_(calls),
        gate_(gate),
        options_(std::move(options)) {
    for (const Method& method : AllMethods()) {
      methods_[method.name()] = &method;
    }
  }
  ~HttplibServer() override { Stop(); }

  absl::Status Start() {
    Configure();
    AddRoutes();
    port_ = listener_.Bind(options_.host, *options_.http_port);
    if (port_ == 0) return WhyNotListening(options_.host, *options_.http_port);
    thread_ = std::thread([this] { listener_.listen_after_bind(); });
    // Before it runs, httplib's stop() does nothing.
    while (!listener_.is_running()) std::this_thread::yield();
    return absl::OkStatus();
  }

  int port() const override { return port_; }

  void Drain() override { draining_ = true; }

  void Stop() override {
    Drain();
    if (!thread_.joinable()) return;
    listener_.stop();
    thread_.join();
  }

 private:
  void Configure() {
    listener_.new_task_queue = [] { return new BoundedTaskQueue(kThreads); };
    listener_.set_socket_options(OwnThePort);
    listener_.set_tcp_nodelay(true);
    listener_.set_read_timeout(kReadSeconds);
    listener_.set_write_timeout(kWriteSeconds);
    listener_.set_keep_alive_timeout(kKeepAliveSeconds);
    listener_.set_keep_alive_max_count(kRequestsPerConnection);
    listener_.set_payload_max_length(options_.max_message_bytes);
    listener_.set_error_handler(
        [this](const httplib::Request&, httplib::Response& response) {
          ExplainRefusal(response);
        });
  }

  void AddRoutes() {
    using Handler =
        void (HttplibServer::*)(const httplib::Request&, httplib::Response&);
    const auto to = [this](Handler handler) {
      return [this, handler](const httplib::Request& request,
                             httplib::Response& response) {
        (this->*handler)(request, response);
      };
    };
    listener_.Get("/healthz", to(&HttplibServer::Healthz));
    listener_.Get("/readyz", to(&HttplibServer::Readyz));
    listener_.Get("/metrics", to(&HttplibServer::Metrics));
    listener_.Get("/api/v1/openapi.json", to(&HttplibServer::OpenApi));
    listener_.Get(".*", to(&HttplibServer::RefuseVerb));
    listener_.Options(".*", to(&HttplibServer::RefuseVerb));
    const httplib::Server::HandlerWithContentReader take_body =
        [this](const auto& request, auto& response, const auto& reader) {
          TakeBody(request, response, reader);
        };
    listener_.Post(".*", take_body);
    listener_.Put(".*", take_body);
    listener_.Patch(".*", take_body);
    listener_.Delete(".*", take_body);
  }

  // Every request with a body. httplib itself holds only bodies that announce
  // their length to the limit, so we read them; to the end in any case, because
  // the connection's next request begins there.
  void TakeBody(const httplib::Request& request, httplib::Response& response,
                const httplib::ContentReader& reader) {
    const size_t limit = options_.max_message_bytes;
    std::string body;
    bool too_large = false;
    const auto take = [&](const char* data, size_t size) {
      too_large = too_large || body.size() + size > limit;
      if (!too_large) body.append(data, size);
      return true;
    };
    const bool read =
        !HasBody(request) ||
        (request.is_multipart_form_data()
             ? reader([](const httplib::MultipartFormData&) { return true; },
                      take)
             : reader(take));
    if (request.method != "POST") return RefuseVerb(request, response);
    if (!read) return;  // ExplainRefusal() follows, as for 413
    if (too_large) response.status = 413;
    if (!too_large) CallMethod(request, body, response);
  }

  void Healthz(const httplib::Request&, httplib::Response& response) {
    response.set_content("ok\n", kText);
  }

  void Readyz(const httplib::Request&, httplib::Response& response) {
    const absl::Status ready = CheckReady();
    if (!ready.ok()) return Reply(ready, 503, response);
    response.set_content("ok\n", kText);
  }

  void Metrics(const httplib::Request&, httplib::Response& response) {
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
    response.set_content(text, "text/plain; version=0.0.4; charset=utf-8");
  }

  void OpenApi(const httplib::Request& request, httplib::Response& response) {
    const auto admitted =
        gate_.Enter(CredentialsOf(request), "http", "GET /api/v1/openapi.json");
    if (!admitted.ok()) return Reply(admitted.status(), response);
    response.set_content(OpenApiDocument(AllMethods(), options_.version),
                         kJson);
  }

  void CallMethod(const httplib::Request& request, const std::string& body,
                  httplib::Response& response) {
    const absl::StatusOr<const Method*> method = Find(request.path);
    if (!method.ok()) return Reply(method.status(), response);
    if (!absl::StartsWith(request.get_header_value("Content-Type"), kJson)) {
      return ReplyNotJson(response);
    }
    absl::StatusOr<AdmittedCall> admitted =
        gate_.Enter(CredentialsOf(request), "http", (*method)->name());
    if (!admitted.ok()) return Reply(admitted.status(), response);
    const std::unique_ptr<Message> asked((*method)->request->New());
    std::unique_ptr<Message> answer;
    std::string text;
    const absl::Status status =
        calls_.Run("http", (*method)->name(), absl::InfiniteFuture(),
                   [&]() -> absl::Status {
                     RK_RETURN_IF_ERROR(ParseJson(body, asked.get()));
                     RK_ASSIGN_OR_RETURN(answer, Call(**method, *asked));
                     RK_ASSIGN_OR_RETURN(text, ToText(answer.get()));
                     return absl::OkStatus();
                   });
    admitted->End(asked.get(), answer.get(), status);
    if (!status.ok()) return Reply(status, response);
    response.set_content(text, kJson);
  }

  absl::StatusOr<std::unique_ptr<Message>> Call(const Method& method,
                                                const Message& request) {
    if (draining_) {
      return absl::UnavailableError("the server is shutting down");
    }
    return method.call(store_, request);
  }

  absl::StatusOr<std::string> ToText(Message* answer) const {
    if (answer->ByteSizeLong() >
        static_cast<size_t>(options_.max_message_bytes)) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "the answer has ", answer->ByteSizeLong(),
          " bytes, more than the server's limit of ",
          options_.max_message_bytes, "; ask for fewer nodes at a time"));
    }
    return ToJsonText(answer);
  }

  // The method that `path` names.
  absl::StatusOr<const Method*> Find(absl::string_view path) const {
    if (!options_.tls.empty()) {
      return absl::PermissionDeniedError(
          "this server takes calls by gRPC with TLS only; HTTP has /healthz, "
          "/readyz and /metrics");
    }
    absl::string_view name = path;
    if (!absl::ConsumePrefix(&name, kApi)) {
      return absl::NotFoundError(
          absl::StrCat("there is nothing at ", path,
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

  void RefuseVerb(const httplib::Request& request,
                  httplib::Response& response) {
    const absl::StatusOr<const Method*> method = Find(request.path);
    if (!method.ok()) return Reply(method.status(), response);
    response.set_header("Allow", "POST");
    Reply(absl::UnimplementedError(
              absl::StrCat("call ", (*method)->name(),
                           " with POST and a JSON body, not ", request.method)),
          405, response);
  }

  // A page in a browser cannot send this type to another site unasked, so it
  // cannot write into a store on its reader's machine.
  static void ReplyNotJson(httplib::Response& response) {
    Reply(absl::InvalidArgumentError(
              "the body must be JSON, sent as Content-Type: application/json "
              "(curl --json does)"),
          415, response);
  }

  absl::Status CheckReady() {
    if (draining_) {
      return absl::UnavailableError("the server is shutting down");
    }
    ml_metadata::GetArtifactTypesByIDRequest any_type;
    any_type.add_type_ids(1);
    return store_.metadata().GetArtifactTypesByID(any_type).status();
  }

  // Says in JSON what was refused without a word.
  void ExplainRefusal(httplib::Response& response) const {
    if (!response.body.empty()) return;
    const int http_status = response.status;
    if (http_status == 413) {
      return Reply(absl::ResourceExhaustedError(absl::StrCat(
                       "the body is larger than the server's limit of ",
                       options_.max_message_bytes, " bytes")),
                   http_status, response);
    }
    Reply(absl::Status(http_status < 500 ? absl::StatusCode::kInvalidArgument
                                         : absl::StatusCode::kInternal,
                       "the request cannot be understood"),
          http_status, response);
  }

  Store& store_;
  CallRunner& calls_;
  CallGate& gate_;
  const ServerOptions options_;
  const absl::Time started_ = absl::Now();
  std::map<std::string, const Method*> methods_;
  std::atomic<bool> draining_ = false;
  Listener listener_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> StartHttpServer(
    Store& store, CallRunner& calls, CallGate& gate,
    const ServerOptions& options) {
  auto server = std::make_unique<HttplibServer>(store, calls, gate, options);
  RK_RETURN_IF_ERROR(server->Start());
  return server;
}

}  // namespace rekindle
