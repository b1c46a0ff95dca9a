#include "component/launch/lease.h"

#include <algorithm>
#include <cstdint>
#include <poll.h>
#include <thread>
#include <unistd.h>

#include <sys/eventfd.h>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "metadata/api/step_store.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

// Three chances to renew before the lease ends.
constexpr int kRenewalsPerLease = 3;
constexpr absl::Duration kAskAgain = absl::Seconds(1);

void MakeReadable(int fd) {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = write(fd, &one, sizeof(one));
}

}  // namespace

LeaseKeeper::LeaseKeeper(StepStore& store, int64_t execution_id, int64_t token,
                         absl::Duration lease)
    : store_(store),
      execution_id_(execution_id),
      token_(token),
      lease_(lease),
      stop_fd_(eventfd(0, EFD_CLOEXEC)),
      lost_fd_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { RenewUntilStopped(); }) {}

LeaseKeeper::~LeaseKeeper() {
  MakeReadable(stop_fd_);
  thread_.join();
  close(stop_fd_);
  close(lost_fd_);
}

void LeaseKeeper::RenewUntilStopped() {
  const absl::Duration pause = lease_ / kRenewalsPerLease;
  absl::Duration next = pause;
  rekindle::v1::RenewRequest request;
  request.set_execution_id(execution_id_);
  request.set_token(token_);
  request.set_lease_millis(absl::ToInt64Milliseconds(lease_));

  pollfd stop = {stop_fd_, POLLIN, 0};
  while (poll(&stop, 1, static_cast<int>(absl::ToInt64Milliseconds(next))) ==
         0) {
    const absl::Status renewed = store_.Renew(request).status();
    // A store that is away is asked again sooner, while the lease still lives.
    next = renewed.ok() ? pause : std::min(pause, kAskAgain);
    if (absl::IsAborted(renewed) || absl::IsNotFound(renewed)) {
      lost_ = true;
      MakeReadable(lost_fd_);
      return;
    }
  }
}

}  // namespace rekindle
