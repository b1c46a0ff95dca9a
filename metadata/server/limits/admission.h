// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LIMITS_ADMISSION_H_
#define REKINDLE_METADATA_SERVER_LIMITS_ADMISSION_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "metadata/server/limits/client_budget.h"
#include "metadata/server/limits/memory_budget.h"
#include "metadata/server/limits/reset_guard.h"
#include "metadata/server/limits/spool.h"
#include "metadata/server/limits/stall_guard.h"
#include "metadata/server/metadata_server.h"

namespace rekindle {

// What gRPC calls share, and how much of it one client may have. Each kind of
// call (limits/call_kind.h) has places of its own, so that streams and listings
// do not take those of steps. Thread-safe.
class Admission {
 public:
  // Ends a connection, which gRPC calls `peer`.
  using Cut = std::function<void(const std::string& peer)>;

  // `clock` is not owned and must outlive this.
  Admission(const ServerOptions& options, const Clock& clock,
            Cut cut = nullptr);

  // A place for the call `method` of `client`, kept until its answer is sent.
  //
  //   RESOURCE_EXHAUSTED  there is none
  absl::StatusOr<ClientBudget::Share> Enter(absl::string_view method,
                                            const std::string& client);

  // Notes that a call of `peer` was reset before it began. A connection that
  // does that again and again is ended.
  void NoteReset(const std::string& peer);

  MemoryBudget& memory() { return memory_; }
  SpoolBudget& spool() { return spool_; }
  StallGuard& guard() { return guard_; }

  int max_message_bytes() const { return max_message_bytes_; }
  // How many calls there can be at once.
  int places() const;

 private:
  ClientBudget& PlacesFor(absl::string_view method);

  const int max_message_bytes_;
  const Cut cut_;
  ClientBudget general_;
  ClientBudget steps_;
  ClientBudget maintenance_;
  ClientBudget streams_;
  MemoryBudget memory_;
  SpoolBudget spool_;
  StallGuard guard_;
  ResetGuard resets_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LIMITS_ADMISSION_H_
