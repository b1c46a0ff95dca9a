#include "metadata/server/limits/memory_budget.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace rekindle {

MemoryBudget::Share::Share(MemoryBudget& budget, std::string client,
                           int64_t bytes)
    : budget_(&budget), client_(std::move(client)), bytes_(bytes) {}

MemoryBudget::Share::Share(Share&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      client_(std::move(other.client_)),
      bytes_(other.bytes_) {}

MemoryBudget::Share::~Share() {
  if (budget_ != nullptr) budget_->GiveBack(client_, bytes_);
}

absl::StatusOr<MemoryBudget::Share> MemoryBudget::Take(
    const std::string& client, int64_t bytes, absl::Time deadline) {
  if (bytes > limits_.each) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a message takes ", bytes, " bytes of the server's memory, more than ",
        limits_.each, "; send or ask for less at a time"));
  }
  const absl::MutexLock lock(&mutex_);
  const auto has_room = [&]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return HasRoom(client, bytes);
  };
  if (!mutex_.AwaitWithDeadline(absl::Condition(&has_room), deadline)) {
    return absl::ResourceExhaustedError(
        "the server has no memory left for a message of this size; try again "
        "later, or send or ask for less at a time");
  }
  taken_ += bytes;
  by_client_[client] += bytes;
  return Share(*this, client, bytes);
}

bool MemoryBudget::HasRoom(const std::string& client, int64_t bytes) const {
  const auto found = by_client_.find(client);
  const int64_t has = found == by_client_.end() ? 0 : found->second;
  return taken_ + bytes <= limits_.all && has + bytes <= limits_.each;
}

void MemoryBudget::GiveBack(const std::string& client, int64_t bytes) {
  const absl::MutexLock lock(&mutex_);
  taken_ -= bytes;
  const auto found = by_client_.find(client);
  found->second -= bytes;
  if (found->second == 0) by_client_.erase(found);
}

}  // namespace rekindle
