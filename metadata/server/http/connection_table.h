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

  // One that has no complete request and whose client can ask again, the one
  // that has been so longest; null if there is none. Those with nothing to lose
  // come first.
  Connection* LeastMissed();
  // Among the client's.
  Connection* LeastMissedOf(const std::string& address);
  // The one whose body has been coming longest, beyond `except`.
  Connection* SlowestBody(uint64_t except);

 private:
  Connection* LeastMissedAmong(
      absl::FunctionRef<bool(const Connection&)> eligible);

  absl::flat_hash_map<uint64_t, std::unique_ptr<Connection>> connections_;
  absl::flat_hash_map<std::string, size_t> by_address_;
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_CONNECTION_TABLE_H_
