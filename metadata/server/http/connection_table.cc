#include "metadata/server/http/connection_table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "metadata/server/http/connection.h"

namespace rekindle::http {
namespace {

bool IsMissedLess(const Connection& a, const Connection& b) {
  return a.worth() != b.worth() ? a.worth() < b.worth() : a.since() < b.since();
}

}  // namespace

Connection& ConnectionTable::Add(std::unique_ptr<Connection> connection) {
  Connection& added = *connection;
  ++by_address_[added.address()];
  connections_[added.id()] = std::move(connection);
  return added;
}

void ConnectionTable::Remove(uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  const auto count = by_address_.find(found->second->address());
  if (--count->second == 0) by_address_.erase(count);
  connections_.erase(found);
}

Connection* ConnectionTable::Find(uint64_t id) {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second.get();
}

size_t ConnectionTable::CountOf(const std::string& address) const {
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? 0 : found->second;
}

std::vector<uint64_t> ConnectionTable::Ids() const {
  std::vector<uint64_t> ids;
  ids.reserve(connections_.size());
  for (const auto& [id, connection] : connections_) ids.push_back(id);
  return ids;
}

Connection* ConnectionTable::LeastMissed() {
  return LeastMissedAmong([](const Connection&) { return true; });
}

Connection* ConnectionTable::LeastMissedOf(const std::string& address) {
  return LeastMissedAmong([&address](const Connection& connection) {
    return connection.address() == address;
  });
}

Connection* ConnectionTable::SlowestBody(uint64_t except) {
  return LeastMissedAmong([except](const Connection& connection) {
    return connection.id() != except && connection.holds_shared_bytes() &&
           connection.worth() == Connection::Worth::kBody;
  });
}

Connection* ConnectionTable::LeastMissedAmong(
    absl::FunctionRef<bool(const Connection&)> eligible) {
  Connection* least = nullptr;
  for (const auto& [id, connection] : connections_) {
    if (connection->worth() >= Connection::Worth::kAnswer ||
        !eligible(*connection)) {
      continue;
    }
    if (least == nullptr || IsMissedLess(*connection, *least)) {
      least = connection.get();
    }
  }
  return least;
}

}  // namespace rekindle::http
