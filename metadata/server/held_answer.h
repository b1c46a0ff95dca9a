// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HELD_ANSWER_H_
#define REKINDLE_METADATA_SERVER_HELD_ANSWER_H_

#include <memory>
#include <optional>

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

#include "metadata/server/limits/client_budget.h"
#include "metadata/server/limits/memory_budget.h"
#include "metadata/server/limits/stall_guard.h"

namespace rekindle {

// A request as it came, not parsed.
struct RawRequest {
  // Emptied by who parses it.
  mutable grpc::ByteBuffer bytes;
};

// An answer, with what its call holds until gRPC has sent it.
struct HeldAnswer {
  grpc::ByteBuffer bytes;
  std::optional<ClientBudget::Share> place;
  std::optional<MemoryBudget::Share> memory;
  // Last: nobody ends the call once it is gone.
  std::unique_ptr<StallGuard::Watch> watch;
};

}  // namespace rekindle

namespace grpc {

template <>
class SerializationTraits<rekindle::RawRequest> {
 public:
  static Status Deserialize(ByteBuffer* bytes, rekindle::RawRequest* request) {
    request->bytes.Swap(bytes);
    return Status::OK;
  }
};

template <>
class SerializationTraits<rekindle::HeldAnswer> {
 public:
  static Status Serialize(const rekindle::HeldAnswer& answer, ByteBuffer* bytes,
                          bool* own_buffer) {
    *bytes = answer.bytes;
    *own_buffer = true;
    return Status::OK;
  }
};

}  // namespace grpc

#endif  // REKINDLE_METADATA_SERVER_HELD_ANSWER_H_
