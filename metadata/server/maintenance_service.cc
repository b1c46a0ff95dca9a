#include "metadata/server/maintenance_service.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/method_handler.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/proto_buffer_writer.h>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/grpc_call.h"
#include "metadata/server/held_answer.h"
#include "metadata/server/limits/admission.h"
#include "metadata/server/limits/spool.h"
#include "metadata/server/limits/stall_guard.h"
#include "rekindle/v1/maintenance_service.grpc.pb.h"

namespace rekindle {
namespace {

using ::rekindle::v1::Chunk;

constexpr std::streamsize kChunkBytes = 1 << 20;
constexpr size_t kMaxChunkBytes = 8 << 20;

// The client's side of a stream, which is not waited for longer than it may be.
class Stream {
 public:
  Stream(grpc::ServerContext& context, StallGuard& guard)
      : context_(context), guard_(guard) {}

  // Whether the client is still there and in time, while the server works.
  absl::Status Check() const {
    if (context_.IsCancelled()) return WhyItEnded();
    return DeadlinePassed() ? absl::DeadlineExceededError("it took too long")
                            : absl::OkStatus();
  }

  absl::Status Send(const Chunk& chunk, grpc::ServerWriter<Chunk>& writer) {
    if (!Wait([&] { return writer.Write(chunk); })) return WhyItEnded();
    return Check();
  }

  // The next part; false at the end, which Check() explains.
  bool Receive(grpc::ServerReader<RawRequest>& reader, RawRequest& part) {
    return Wait([&] { return reader.Read(&part); });
  }

 private:
  bool Wait(absl::FunctionRef<bool()> act) {
    const auto watch = guard_.Begin([this] { context_.TryCancel(); });
    const bool acted = act();
    stalled_ = watch->stalled();
    return acted;
  }

  absl::Status WhyItEnded() const {
    if (!stalled_) return absl::CancelledError("the client is gone");
    return absl::DeadlineExceededError("the client took or sent nothing");
  }

  grpc::ServerContext& context_;
  StallGuard& guard_;
  bool stalled_ = false;
};

absl::Status SendFile(const std::string& path, Stream& stream,
                      grpc::ServerWriter<Chunk>& writer) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return ErrnoStatus(errno, "read", path);
  const auto total = static_cast<int64_t>(std::filesystem::file_size(path));
  Chunk chunk;
  chunk.set_total_bytes(total);
  while (file) {
    std::string& bytes = *chunk.mutable_data();
    bytes.resize(kChunkBytes);
    file.read(bytes.data(), kChunkBytes);
    bytes.resize(static_cast<size_t>(file.gcount()));
    RK_RETURN_IF_ERROR(stream.Send(chunk, writer));
  }
  return file.bad() ? ErrnoStatus(EIO, "read", path) : absl::OkStatus();
}

// Appends the bytes of `part`, a Chunk, to `spool`.
absl::Status Receive(grpc::ByteBuffer& part, Spool& spool) {
  if (part.Length() > kMaxChunkBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a part of a load has ", part.Length(),
                     " bytes; send parts of at most ", kMaxChunkBytes));
  }
  Chunk chunk;
  grpc::ProtoBufferReader reader(&part);
  if (!chunk.ParseFromZeroCopyStream(&reader)) {
    return absl::InvalidArgumentError("a part of a load is no Chunk");
  }
  return spool.Append(chunk.data());
}

class MaintenanceServiceOfStore final : public grpc::Service {
 public:
  MaintenanceServiceOfStore(MaintenanceStore& store, Admission& admission,
                            CallRunner& calls, CallGate& gate)
      : store_(store), admission_(admission), calls_(calls), gate_(gate) {
    AddSender<v1::BackupRequest>("Backup",
                                 &MaintenanceServiceOfStore::SendBackup);
    AddSender<v1::ExportRequest>("Export",
                                 &MaintenanceServiceOfStore::SendExport);
    AddLoad();
  }

 private:
  using Self = MaintenanceServiceOfStore;
  using Writer = grpc::ServerWriter<Chunk>;
  using Sender = absl::Status (Self::*)(Stream& stream, Writer& writer);

  template <typename Request>
  void AddSender(const char* method, Sender send) {
    using Handler =
        grpc::internal::ServerStreamingHandler<Self, Request, Chunk>;
    Add(method, grpc::internal::RpcMethod::SERVER_STREAMING,
        new Handler(
            [method, send](Self* self, grpc::ServerContext* context,
                           const Request*, Writer* writer) {
              return ToGrpc(
                  self->Run(method, *context, nullptr, [&](Stream& stream) {
                    return (self->*send)(stream, *writer);
                  }));
            },
            this));
  }

  void AddLoad() {
    using Handler =
        grpc::internal::ClientStreamingHandler<Self, RawRequest, HeldAnswer>;
    Add("Load", grpc::internal::RpcMethod::CLIENT_STREAMING,
        new Handler(
            [](Self* self, grpc::ServerContext* context,
               grpc::ServerReader<RawRequest>* reader, HeldAnswer* answer) {
              return ToGrpc(self->RunLoad(*context, *reader, *answer));
            },
            this));
  }

  void Add(const char* method, grpc::internal::RpcMethod::RpcType type,
           grpc::internal::MethodHandler* handler) {
    // gRPC keeps the pointer to the name.
    paths_.push_back(absl::StrCat(
        "/", v1::MaintenanceService::service_full_name(), "/", method));
    AddMethod(new grpc::internal::RpcServiceMethod(paths_.back().c_str(), type,
                                                   handler));
  }

  // Runs `work` if the sender of the call may, and there is a place for it.
  // `response` is what it fills, if that is known.
  absl::Status Run(absl::string_view method, grpc::ServerContext& context,
                   const v1::LoadResponse* response,
                   absl::FunctionRef<absl::Status(Stream&)> work) {
    if (context.IsCancelled()) {
      admission_.NoteReset(context.peer());
      return absl::CancelledError("the client is gone");
    }
    const Credentials shown = CredentialsOf(context);
    RK_ASSIGN_OR_RETURN(AdmittedCall admitted,
                        gate_.Enter(shown, "grpc", method));
    const auto in_a_place = [&]() -> absl::Status {
      RK_ASSIGN_OR_RETURN(const auto place,
                          admission_.Enter(method, shown.peer.address));
      Stream stream(context, admission_.guard());
      return work(stream);
    };
    absl::Status status = calls_.Run(
        "grpc", method, absl::FromChrono(context.deadline()), in_a_place);
    admitted.End(/*request=*/nullptr, response, status);
    return status;
  }

  absl::Status SendBackup(Stream& stream, Writer& writer) {
    RK_ASSIGN_OR_RETURN(Spool copy, Spool::Create(admission_.spool()));
    const auto check = [&](int64_t /*done*/, int64_t total) -> absl::Status {
      RK_RETURN_IF_ERROR(copy.Reserve(total));
      return stream.Check();
    };
    RK_RETURN_IF_ERROR(store_.Backup(copy.path(), check));
    return SendFile(copy.path(), stream, writer);
  }

  // The store is read at the speed of the disk, not at that of the client: a
  // long read keeps the log from being folded into the database.
  absl::Status SendExport(Stream& stream, Writer& writer) {
    RK_ASSIGN_OR_RETURN(Spool lines, Spool::Create(admission_.spool()));
    lines.HideName();
    const auto append = [&](absl::string_view bytes) -> absl::Status {
      RK_RETURN_IF_ERROR(lines.Append(bytes));
      return stream.Check();
    };
    RK_RETURN_IF_ERROR(store_.Export(append));
    return SendFile(lines.path(), stream, writer);
  }

  absl::Status RunLoad(grpc::ServerContext& context,
                       grpc::ServerReader<RawRequest>& reader,
                       HeldAnswer& answer) {
    v1::LoadResponse response;
    const auto load = [&](Stream& stream) -> absl::Status {
      RK_ASSIGN_OR_RETURN(const int64_t records, Load(stream, reader));
      response.set_records(records);
      return absl::OkStatus();
    };
    RK_RETURN_IF_ERROR(Run("Load", context, &response, load));
    answer.watch =
        admission_.guard().Begin([&context] { context.TryCancel(); });
    bool own = false;
    grpc::GenericSerialize<grpc::ProtoBufferWriter, v1::LoadResponse>(
        response, &answer.bytes, &own);
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> Load(Stream& stream,
                               grpc::ServerReader<RawRequest>& reader) {
    RK_ASSIGN_OR_RETURN(Spool received, Spool::Create(admission_.spool()));
    received.HideName();
    RawRequest part;
    while (stream.Receive(reader, part)) {
      RK_RETURN_IF_ERROR(Receive(part.bytes, received));
    }
    RK_RETURN_IF_ERROR(stream.Check());
    return store_.Load(received.path());
  }

  MaintenanceStore& store_;
  Admission& admission_;
  CallRunner& calls_;
  CallGate& gate_;
  std::deque<std::string> paths_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeMaintenanceService(MaintenanceStore& store,
                                                      Admission& admission,
                                                      CallRunner& calls,
                                                      CallGate& gate) {
  return std::make_unique<MaintenanceServiceOfStore>(store, admission, calls,
                                                     gate);
}

}  // namespace rekindle
