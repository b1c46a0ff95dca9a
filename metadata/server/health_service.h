// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HEALTH_SERVICE_H_
#define REKINDLE_METADATA_SERVER_HEALTH_SERVICE_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <grpcpp/impl/codegen/service_type.h>
#include <grpcpp/support/server_callback.h>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "metadata/server/limits/client_budget.h"

namespace rekindle {

// grpc.health.v1.Health: gRPC's own has no limit on the streams that watch it.
// No call of it needs a thread. Thread-safe.
class HealthService final : public grpc::Service {
 public:
  // Answers for the services of these names, and for the server (""). Nobody is
  // healthy at first.
  HealthService(std::vector<std::string> services,
                ClientBudget::Limits watches);
  ~HealthService() override;

  void SetServing(bool serving);

  // Tells those who watch that nobody is healthy, and ends their streams.
  void Shutdown();

 private:
  class Watch;

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext& context,
                                  const grpc::ByteBuffer& request,
                                  grpc::ByteBuffer& response);
  grpc::ServerWriteReactor<grpc::ByteBuffer>* StartWatch(
      grpc::CallbackServerContext& context, const grpc::ByteBuffer& request);
  void Forget(const std::shared_ptr<Watch>& watch);
  bool Knows(absl::string_view service) const;
  // The watches of services that it knows.
  std::vector<std::shared_ptr<Watch>> Watches();

  const std::vector<std::string> services_;
  ClientBudget budget_;
  absl::Mutex mutex_;
  bool serving_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<std::shared_ptr<Watch>> watches_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_HEALTH_SERVICE_H_
