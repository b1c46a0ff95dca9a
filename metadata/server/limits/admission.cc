#include "metadata/server/limits/admission.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "metadata/server/limits/call_kind.h"
#include "metadata/server/limits/client_budget.h"
#include "metadata/server/metadata_server.h"

namespace rekindle {
namespace {

constexpr int kStepCalls = 128;
constexpr int kMaintenanceCalls = 4;
// The memory of messages that are larger than a few KB.
constexpr int64_t kMemory = int64_t{96} << 20;
// Of what all streams may put aside together, one may have a part.
constexpr int64_t kSpools = 2;

// One client leaves a quarter to others.
ClientBudget::Limits Shared(int all) {
  return {.all = all, .each = std::max(all - all / 4, 1)};
}

// One client leaves half to others.
ClientBudget::Limits Halved(int all) {
  return {.all = all, .each = std::max(all / 2, 1)};
}

}  // namespace

Admission::Admission(const ServerOptions& options, const Clock& clock, Cut cut)
    : max_message_bytes_(options.max_message_bytes),
      cut_(std::move(cut)),
      general_(Shared(options.max_calls)),
      steps_(Shared(kStepCalls)),
      maintenance_(Halved(kMaintenanceCalls)),
      streams_(Halved(options.max_streams)),
      memory_({.all = kMemory, .each = kMemory - kMemory / 4}),
      spool_({.all = kSpools * options.max_spool_bytes,
              .each = options.max_spool_bytes}),
      guard_(options.max_stall_time, clock),
      resets_(clock) {
  guard_.Start();
}

absl::StatusOr<ClientBudget::Share> Admission::Enter(
    absl::string_view method, const std::string& client) {
  ClientBudget& places = PlacesFor(method);
  std::optional<ClientBudget::Share> place = places.Take(client);
  if (place.has_value()) return *std::move(place);
  return absl::ResourceExhaustedError(
      absl::StrCat("the server has no place for another ", method, ": it runs ",
                   places.taken(), " calls of its kind, of ",
                   places.limits().all, " at most and ", places.limits().each,
                   " from one address; try again later"));
}

void Admission::NoteReset(const std::string& peer) {
  if (resets_.Note(peer) && cut_ != nullptr) cut_(peer);
}

int Admission::places() const {
  return general_.limits().all + steps_.limits().all +
         maintenance_.limits().all + streams_.limits().all;
}

ClientBudget& Admission::PlacesFor(absl::string_view method) {
  switch (KindOfCall(method)) {
    case CallKind::kStep:
      return steps_;
    case CallKind::kMaintenance:
      return maintenance_;
    case CallKind::kStream:
      return streams_;
    case CallKind::kGeneral:
      return general_;
  }
  return general_;
}

}  // namespace rekindle
