#include "metadata/server/limits/client_budget.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/synchronization/mutex.h"

namespace rekindle {

ClientBudget::Share::Share(ClientBudget& budget, std::string client)
    : budget_(&budget), client_(std::move(client)) {}

ClientBudget::Share::Share(Share&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      client_(std::move(other.client_)) {}

ClientBudget::Share::~Share() {
  if (budget_ != nullptr) budget_->GiveBack(client_);
}

std::optional<ClientBudget::Share> ClientBudget::Take(
    const std::string& client) {
  const absl::MutexLock lock(&mutex_);
  const auto found = by_client_.find(client);
  const int has = found == by_client_.end() ? 0 : found->second;
  if (taken_ >= limits_.all || has >= limits_.each) {
    ++refused_;
    return std::nullopt;
  }
  ++taken_;
  by_client_[client] = has + 1;
  return Share(*this, client);
}

int ClientBudget::taken() const {
  const absl::MutexLock lock(&mutex_);
  return taken_;
}

int64_t ClientBudget::refused() const {
  const absl::MutexLock lock(&mutex_);
  return refused_;
}

void ClientBudget::GiveBack(const std::string& client) {
  const absl::MutexLock lock(&mutex_);
  --taken_;
  const auto found = by_client_.find(client);
  if (--found->second == 0) by_client_.erase(found);
}

}  // namespace rekindle
