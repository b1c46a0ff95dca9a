#include "component/launch/lease.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "component/launch/step_time.h"
#include "metadata/api/step_store.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

// Three chances to renew before the lease ends.
constexpr int kRenewalsPerLease = 3;
constexpr absl::Duration kAskAgain = absl::Seconds(1);

}  // namespace

LeaseKeeper::LeaseKeeper(StepStore& store, int64_t execution_id, int64_t token,
                         absl::Duration lease, const StepTime& time)
    : store_(store),
      execution_id_(execution_id),
      token_(token),
      lease_(lease),
      ticker_(time.start_ticker(lease / kRenewalsPerLease,
                                [this] { return Renew(); })) {}

std::optional<absl::Duration> LeaseKeeper::Renew() {
  rekindle::v1::RenewRequest request;
  request.set_execution_id(execution_id_);
  request.set_token(token_);
  request.set_lease_millis(absl::ToInt64Milliseconds(lease_));
  const absl::Status renewed = store_.Renew(request).status();
  if (absl::IsAborted(renewed) || absl::IsNotFound(renewed)) {
    lost_ = true;
    lost_event_.Happen();
    return std::nullopt;
  }
  const absl::Duration pause = lease_ / kRenewalsPerLease;
  // A store that is away is asked again sooner, while the lease still lives.
  return renewed.ok() ? pause : std::min(pause, kAskAgain);
}

}  // namespace rekindle
