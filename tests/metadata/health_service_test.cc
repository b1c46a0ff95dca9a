#include "metadata/server/health_service.h"

#include <memory>
#include <string>

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/sync_stream.h>
#include <gtest/gtest.h>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace rekindle {
namespace {

using grpc::ByteBuffer;

constexpr char kServing = 1;
constexpr int kWatches = 1000;

ByteBuffer Bytes(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

// A client that watches the server's health.
class Watch {
 public:
  explicit Watch(grpc::ChannelInterface& channel)
      : method_("/grpc.health.v1.Health/Watch",
                grpc::internal::RpcMethod::SERVER_STREAMING) {
    context_.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(1)));
    reader_.reset(grpc::internal::ClientReaderFactory<ByteBuffer>::Create(
        &channel, method_, &context_, Bytes("")));
  }
  ~Watch() { context_.TryCancel(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Whether it is told, in time, that all is well.
  bool ComesToServe() {
    ByteBuffer answer;
    while (reader_->Read(&answer)) {
      grpc::Slice slice;
      answer.DumpToSingleSlice(&slice).ok();
      if (slice.size() == 2 && slice.begin()[1] == kServing) return true;
    }
    return false;
  }

 private:
  const grpc::internal::RpcMethod method_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<ByteBuffer>> reader_;
};

// What a watch is told last counts, also if that changes while it begins.
TEST(HealthServiceTest, NoWatchIsLeftWithWhatWasTrueBefore) {
  HealthService health({}, {.all = kWatches, .each = kWatches});
  grpc::ServerBuilder builder;
  builder.RegisterService(&health);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const std::shared_ptr<grpc::Channel> channel = server->InProcessChannel({});
  for (int i = 0; i < kWatches && !HasFailure(); ++i) {
    health.SetServing(false);
    Watch watch(*channel);
    // Sooner or later while it begins.
    const absl::Time then = absl::Now() + absl::Microseconds(i % 200);
    while (absl::Now() < then) {
    }
    health.SetServing(true);
    EXPECT_TRUE(watch.ComesToServe()) << "of watch " << i;
  }
  server->Shutdown();
}

}  // namespace
}  // namespace rekindle
