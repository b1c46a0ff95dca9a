#ifndef REKINDLE_COMPONENT_LAUNCH_REAPER_H_
#define REKINDLE_COMPONENT_LAUNCH_REAPER_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "component/launch/failure.h"
#include "metadata/api/open_store.h"

namespace rekindle {

struct ReapOptions {
  std::string pipeline;  // only of this one; empty: of all
  std::string run_id;    // only of this run; empty: of all
  // What the orchestrator says became of them; empty if nothing.
  std::string previous_failure;
  // Executions of other writers have no lease. They are closed if nobody has
  // changed them for so long.
  absl::Duration older_than = absl::InfiniteDuration();
  // Folders are looked into, and removed, only below these, whatever an
  // execution says of where it worked.
  std::vector<std::string> roots;
  // Folders in which something changed since then are kept.
  absl::Duration folder_age = absl::Hours(1);
  // Say what would be done, and do nothing.
  bool dry_run = false;
};

struct ReapReport {
  struct Execution {
    int64_t id = 0;
    std::string external_id;
    FailureReason reason = FailureReason::kLauncherLost;
    std::string message;
  };

  std::vector<Execution> closed;
  int64_t still_running = 0;
  std::vector<std::string> removed;  // folders
  // Where executions say that they worked, and nothing was looked at.
  std::set<std::string> outside;
};

// Tidies up behind steps whose process vanished. Closes executions that are
// RUNNING although their lease has ended: FAILED, with the reason that can
// still be found. Never one whose lease lives; that is decided in the
// transaction that closes it. Then removes what such steps and finished ones
// left behind below the roots: staging folders, and state that no retry needs.
// Never what is in the place of an output, and nothing of another store.
//
//   UNIMPLEMENTED  the store is a server that does not know steps
//   UNAVAILABLE    the store cannot be reached; what was done stays done
absl::StatusOr<ReapReport> Reap(const ReapOptions& options, Store& store);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_REAPER_H_
