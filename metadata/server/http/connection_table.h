// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_CONNECTION_TABLE_H_
#define REKINDLE_METADATA_SERVER_HTTP_CONNECTION_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "metadata/server/http/connection.h"

namespace rekindle::http {

// The connections that are open, and which of them would be missed least.
// Thread-compatible.
class ConnectionTable {
 public:
  Connection& Add(std::unique_ptr<Connection> connection);
  // Closes it.
  void Remove(uint64_t id);

  // Null if it is gone.
  Connection* Find(uint64_t id);
  size_t size() const { return connections_.size(); }
  size_t CountOf(const std::string& address) const;
  // In no order; they may be removed meanwhile.
  std::vector<uint64_t> Ids() const;

  // One that has no complete request and whose client can ask again; null if
  // there is none. Those of the client with the most connections come first,
  // then those that have been so for a while, among them those that have
  // nothing to lose, then whoever has been so longest.
  Connection* LeastMissed(absl::Time now);
  // Among the client's.
  Connection* LeastMissedOf(const std::string& address, absl::Time now);
  // The one beyond `except` that holds shared bytes and lags behind most; null
  // if there is none.
  Connection* Slowest(uint64_t except, absl::Time now);

 private:
  bool IsMissedLess(const Connection& a, const Connection& b,
                    absl::Time now) const;
  Connection* LeastMissedAmong(
      absl::Time now, absl::FunctionRef<bool(const Connection&)> eligible);

  absl::flat_hash_map<uint64_t, std::unique_ptr<Connection>> connections_;
  absl::flat_hash_map<std::string, size_t> by_address_;
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_CONNECTION_TABLE_H_
