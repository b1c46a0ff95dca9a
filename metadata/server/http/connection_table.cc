#include "metadata/server/http/connection_table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "metadata/server/http/connection.h"

namespace rekindle::http {
namespace {

// A client that has just connected is about to send its request.
constexpr absl::Duration kNew = absl::Seconds(1);

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

Connection* ConnectionTable::LeastMissed(absl::Time now) {
  return LeastMissedAmong(now, [](const Connection&) { return true; });
}

Connection* ConnectionTable::LeastMissedOf(const std::string& address,
                                           absl::Time now) {
  return LeastMissedAmong(now, [&address](const Connection& connection) {
    return connection.address() == address;
  });
}

Connection* ConnectionTable::Slowest(uint64_t except, absl::Time now) {
  Connection* slowest = nullptr;
  for (const auto& [id, connection] : connections_) {
    if (id == except || !connection->holds_shared_bytes() ||
        connection->worth() == Connection::Worth::kWork) {
      continue;
    }
    if (slowest == nullptr || connection->Lag(now) > slowest->Lag(now)) {
      slowest = connection.get();
    }
  }
  return slowest;
}

bool ConnectionTable::IsMissedLess(const Connection& a, const Connection& b,
                                   absl::Time now) const {
  const size_t a_count = CountOf(a.address());
  const size_t b_count = CountOf(b.address());
  if (a_count != b_count) return a_count > b_count;
  const bool a_is_new = now - a.since() < kNew;
  const bool b_is_new = now - b.since() < kNew;
  if (a_is_new != b_is_new) return b_is_new;
  if (!a_is_new && a.worth() != b.worth()) return a.worth() < b.worth();
  return a.since() != b.since() ? a.since() < b.since() : a.id() < b.id();
}

Connection* ConnectionTable::LeastMissedAmong(
    absl::Time now, absl::FunctionRef<bool(const Connection&)> eligible) {
  Connection* least = nullptr;
  for (const auto& [id, connection] : connections_) {
    if (connection->worth() >= Connection::Worth::kAnswer ||
        !eligible(*connection)) {
      continue;
    }
    if (least == nullptr || IsMissedLess(*connection, *least, now)) {
      least = connection.get();
    }
  }
  return least;
}

}  // namespace rekindle::http
