#include "metadata/server/maintenance_service.h"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <grpcpp/grpcpp.h>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "base/temporary_file.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/grpc_call.h"
#include "rekindle/v1/maintenance_service.grpc.pb.h"

namespace rekindle {
namespace {

using ::rekindle::v1::Chunk;

constexpr std::streamsize kChunkBytes = 1 << 20;

absl::Status ClientIsGone() {
  return absl::CancelledError("the client is gone");
}

absl::Status Send(absl::string_view bytes, int64_t total,
                  grpc::ServerWriter<Chunk>& writer) {
  Chunk chunk;
  chunk.set_data(bytes.data(), bytes.size());
  chunk.set_total_bytes(total);
  return writer.Write(chunk) ? absl::OkStatus() : ClientIsGone();
}

absl::Status SendFile(const std::string& path,
                      grpc::ServerWriter<Chunk>& writer) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return ErrnoStatus(errno, "read", path);
  const auto total = static_cast<int64_t>(std::filesystem::file_size(path));
  std::string buffer(kChunkBytes, '\0');
  while (file) {
    file.read(buffer.data(), kChunkBytes);
    RK_RETURN_IF_ERROR(Send(
        absl::string_view(buffer.data(), static_cast<size_t>(file.gcount())),
        total, writer));
  }
  return file.bad() ? ErrnoStatus(EIO, "read", path) : absl::OkStatus();
}

class MaintenanceServiceOfStore final : public v1::MaintenanceService::Service {
 public:
  MaintenanceServiceOfStore(MaintenanceStore& store, CallGate& gate)
      : store_(store), gate_(gate) {}

  grpc::Status Backup(grpc::ServerContext* context, const v1::BackupRequest*,
                      grpc::ServerWriter<Chunk>* writer) override {
    return Guarded("Backup", *context, /*response=*/nullptr,
                   [&] { return DoBackup(*context, *writer); });
  }

  grpc::Status Export(grpc::ServerContext* context, const v1::ExportRequest*,
                      grpc::ServerWriter<Chunk>* writer) override {
    const auto send = [writer](absl::string_view bytes) {
      return Send(bytes, /*total=*/0, *writer);
    };
    return Guarded("Export", *context, /*response=*/nullptr,
                   [&] { return store_.Export(send); });
  }

  grpc::Status Load(grpc::ServerContext* context,
                    grpc::ServerReader<Chunk>* reader,
                    v1::LoadResponse* response) override {
    return Guarded("Load", *context, response, [&]() -> absl::Status {
      RK_ASSIGN_OR_RETURN(const int64_t records, DoLoad(*context, *reader));
      response->set_records(records);
      return absl::OkStatus();
    });
  }

 private:
  // Runs `work` if the sender of the call may.
  grpc::Status Guarded(absl::string_view method,
                       const grpc::ServerContext& context,
                       const v1::LoadResponse* response,
                       absl::FunctionRef<absl::Status()> work) {
    absl::StatusOr<AdmittedCall> admitted =
        gate_.Enter(CredentialsOf(context), "grpc", method);
    if (!admitted.ok()) return ToGrpc(admitted.status());
    const absl::Status status = work();
    admitted->End(/*request=*/nullptr, response, status);
    return ToGrpc(status);
  }

  absl::Status DoBackup(const grpc::ServerContext& context,
                        grpc::ServerWriter<Chunk>& writer) {
    RK_ASSIGN_OR_RETURN(const TemporaryFile copy, TemporaryFile::Create());
    RK_RETURN_IF_ERROR(store_.Backup(copy.path(), [&context](int64_t, int64_t) {
      return context.IsCancelled() ? ClientIsGone() : absl::OkStatus();
    }));
    return SendFile(copy.path(), writer);
  }

  absl::StatusOr<int64_t> DoLoad(const grpc::ServerContext& context,
                                 grpc::ServerReader<Chunk>& reader) {
    RK_ASSIGN_OR_RETURN(TemporaryFile received, TemporaryFile::Create());
    received.HideName();
    Chunk chunk;
    while (reader.Read(&chunk)) {
      RK_RETURN_IF_ERROR(received.Append(chunk.data()));
    }
    if (context.IsCancelled()) return ClientIsGone();
    return store_.Load(received.path());
  }

  MaintenanceStore& store_;
  CallGate& gate_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeMaintenanceService(MaintenanceStore& store,
                                                      CallGate& gate) {
  return std::make_unique<MaintenanceServiceOfStore>(store, gate);
}

}  // namespace rekindle
