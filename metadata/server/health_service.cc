#include "metadata/server/health_service.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/server_callback.h>

#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "metadata/server/limits/client_budget.h"

namespace rekindle {
namespace {

using ::google::protobuf::internal::WireFormatLite;
using ::google::protobuf::io::CodedInputStream;

constexpr char kCheck[] = "/grpc.health.v1.Health/Check";
constexpr char kWatch[] = "/grpc.health.v1.Health/Watch";
// One client cannot be told from another in time; they share what there is.
constexpr char kEverybody[] = "everybody";

// HealthCheckResponse.ServingStatus.
enum class Health : char { kServing = 1, kNotServing = 2, kUnknown = 3 };

Health HealthOf(bool serving) {
  return serving ? Health::kServing : Health::kNotServing;
}

// A HealthCheckResponse, whose field 1 is the status.
grpc::ByteBuffer Encode(Health health) {
  const std::string bytes = {'\x08', static_cast<char>(health)};
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

// The service that a HealthCheckRequest names in its field 1; nullopt if it is
// none.
std::optional<std::string> Decode(const grpc::ByteBuffer& request) {
  constexpr uint32_t kService = 0x0a;
  grpc::ByteBuffer bytes(request);
  grpc::ProtoBufferReader reader(&bytes);
  CodedInputStream wire(&reader);
  std::string service;
  while (const uint32_t tag = wire.ReadTag()) {
    const bool read = tag == kService
                          ? WireFormatLite::ReadString(&wire, &service)
                          : WireFormatLite::SkipField(&wire, tag);
    if (!read) return std::nullopt;
  }
  return service;
}

grpc::Status NoRequest() {
  return {grpc::StatusCode::INVALID_ARGUMENT, "it is no HealthCheckRequest"};
}

// Answers a stream with nothing but a status.
class Refusal : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

// One stream. Sends what is new, one message at a time.
class HealthService::Watch
    : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
      public std::enable_shared_from_this<HealthService::Watch> {
 public:
  Watch(HealthService& service, bool known, ClientBudget::Share share)
      : service_(service), known_(known), share_(std::move(share)) {}

  // Whether the health of the service that is watched can change.
  bool known() const { return known_; }

  // What it is to be told, by Act().
  void Want(Health health) {
    const absl::MutexLock lock(&mutex_);
    wanted_ = health;
  }
  // After what it is told last.
  void End() {
    const absl::MutexLock lock(&mutex_);
    ending_ = true;
  }

  // gRPC may call back before it returns: without any lock.
  void Act() {
    switch (Next()) {
      case Action::kWrite:
        return StartWrite(&message_);
      case Action::kFinish:
        return Finish(
            {grpc::StatusCode::UNAVAILABLE, "the server is shutting down"});
      case Action::kNothing:
        return;
    }
  }

 private:
  enum class Action { kNothing, kWrite, kFinish };

  void OnWriteDone(bool ok) override {
    {
      const absl::MutexLock lock(&mutex_);
      writing_ = false;
      if (!ok) Abandon();
    }
    Act();
  }
  void OnCancel() override {
    {
      const absl::MutexLock lock(&mutex_);
      Abandon();
    }
    Act();
  }
  void OnDone() override { service_.Forget(shared_from_this()); }

  // Nobody listens any more.
  void Abandon() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    wanted_ = sent_;
    ending_ = true;
  }

  Action Next() {
    const absl::MutexLock lock(&mutex_);
    if (writing_ || finished_) return Action::kNothing;
    if (wanted_ != sent_) {
      sent_ = wanted_;
      message_ = Encode(*sent_);
      writing_ = true;
      return Action::kWrite;
    }
    finished_ = ending_;
    return finished_ ? Action::kFinish : Action::kNothing;
  }

  HealthService& service_;
  const bool known_;
  const ClientBudget::Share share_;
  grpc::ByteBuffer message_;  // who writes has it
  absl::Mutex mutex_;
  std::optional<Health> wanted_ ABSL_GUARDED_BY(mutex_);
  std::optional<Health> sent_ ABSL_GUARDED_BY(mutex_);
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

HealthService::HealthService(std::vector<std::string> services,
                             ClientBudget::Limits watches)
    : services_(std::move(services)), budget_(watches) {
  using grpc::ByteBuffer;
  using grpc::internal::RpcMethod;
  AddMethod(new grpc::internal::RpcServiceMethod(kCheck, RpcMethod::NORMAL_RPC,
                                                 nullptr));
  MarkMethodCallback(
      0, new grpc::internal::CallbackUnaryHandler<ByteBuffer, ByteBuffer>(
             [this](grpc::CallbackServerContext* context,
                    const ByteBuffer* request, ByteBuffer* response) {
               return Check(*context, *request, *response);
             }));
  AddMethod(new grpc::internal::RpcServiceMethod(
      kWatch, RpcMethod::SERVER_STREAMING, nullptr));
  MarkMethodCallback(
      1, new grpc::internal::CallbackServerStreamingHandler<ByteBuffer,
                                                            ByteBuffer>(
             [this](grpc::CallbackServerContext* context,
                    const ByteBuffer* request) {
               return StartWatch(*context, *request);
             }));
}

HealthService::~HealthService() = default;

void HealthService::SetServing(bool serving) {
  {
    const absl::MutexLock lock(&mutex_);
    serving_ = serving && !ended_;
    for (const auto& watch : watches_) {
      if (watch->known()) watch->Want(HealthOf(serving_));
    }
  }
  for (const auto& watch : Watches()) watch->Act();
}

void HealthService::Shutdown() {
  SetServing(false);
  {
    const absl::MutexLock lock(&mutex_);
    ended_ = true;
    for (const auto& watch : watches_) watch->End();
  }
  for (const auto& watch : Watches()) watch->Act();
}

grpc::ServerUnaryReactor* HealthService::Check(
    grpc::CallbackServerContext& context, const grpc::ByteBuffer& request,
    grpc::ByteBuffer& response) {
  grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  const std::optional<std::string> service = Decode(request);
  if (!service.has_value()) {
    reactor->Finish(NoRequest());
  } else if (!Knows(*service)) {
    reactor->Finish({grpc::StatusCode::NOT_FOUND, "service name unknown"});
  } else {
    {
      const absl::MutexLock lock(&mutex_);
      response = Encode(HealthOf(serving_));
    }
    reactor->Finish(grpc::Status::OK);
  }
  return reactor;
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* HealthService::StartWatch(
    grpc::CallbackServerContext& /*context*/, const grpc::ByteBuffer& request) {
  const std::optional<std::string> service = Decode(request);
  if (!service.has_value()) return new Refusal(NoRequest());
  std::optional<ClientBudget::Share> share = budget_.Take(kEverybody);
  if (!share.has_value()) {
    return new Refusal({grpc::StatusCode::RESOURCE_EXHAUSTED,
                        "too many streams watch the server's health; ask with "
                        "Check now and then"});
  }
  const auto watch =
      std::make_shared<Watch>(*this, Knows(*service), *std::move(share));
  {
    const absl::MutexLock lock(&mutex_);
    watches_.insert(watch);
    watch->Want(watch->known() ? HealthOf(serving_) : Health::kUnknown);
    if (ended_) watch->End();
  }
  watch->Act();
  return watch.get();
}

void HealthService::Forget(const std::shared_ptr<Watch>& watch) {
  const absl::MutexLock lock(&mutex_);
  watches_.erase(watch);
}

bool HealthService::Knows(absl::string_view service) const {
  return service.empty() || std::find(services_.begin(), services_.end(),
                                      service) != services_.end();
}

std::vector<std::shared_ptr<HealthService::Watch>> HealthService::Watches() {
  const absl::MutexLock lock(&mutex_);
  return {watches_.begin(), watches_.end()};
}

}  // namespace rekindle
