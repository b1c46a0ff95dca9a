// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_SELF_CHECK_H_
#define REKINDLE_METADATA_SERVER_SELF_CHECK_H_

#include <memory>
#include <set>
#include <string>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "metadata/api/open_store.h"

namespace rekindle {

// A server's question to itself, by the way that clients come: through the port
// and gRPC to the store. Its connection is known by the port that it comes
// from, so that it needs neither a place among others nor a certificate.
// Thread-safe.
class SelfCheck {
 public:
  // `store` is not owned and must outlive this.
  explicit SelfCheck(Store& store);

  // The service that answers, for its own connections only.
  grpc::Service& service() { return *service_; }

  // Asks the server that listens on `host` and `port`, and waits until
  // `deadline` at most. OK if its store answers.
  absl::Status Ask(const std::string& host, int port, absl::Time deadline);

  // Whether a connection from this address is its own.
  bool IsOwn(const std::string& address, int port) const;
  // The same, of one that gRPC calls `peer`.
  bool IsOwnPeer(absl::string_view peer) const;

 private:
  absl::Status AskOnce(const std::string& host, int port, absl::Time deadline);

  mutable absl::Mutex mutex_;
  std::set<std::pair<std::string, int>> own_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<grpc::Service> service_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_SELF_CHECK_H_
