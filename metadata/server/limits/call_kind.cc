#include "metadata/server/limits/call_kind.h"

#include "absl/strings/string_view.h"
#include "metadata/api/reader_lane.h"

namespace rekindle {

CallKind KindOfCall(absl::string_view method) {
  for (const char* stream : {"Backup", "Export", "Load"}) {
    if (method == stream) return CallKind::kStream;
  }
  for (const char* whole : {"Verify", "Delete"}) {
    if (method == whole) return CallKind::kMaintenance;
  }
  for (const char* step : {"Claim", "Renew", "StartWork", "PreparePublish",
                           "Publish", "Finish", "Identify"}) {
    if (method == step) return CallKind::kStep;
  }
  return CallKind::kGeneral;
}

ReaderLane LaneOf(CallKind kind) {
  switch (kind) {
    case CallKind::kGeneral:
      return ReaderLane::kGeneral;
    case CallKind::kStep:
      return ReaderLane::kReserved;
    case CallKind::kMaintenance:
    case CallKind::kStream:
      return ReaderLane::kMaintenance;
  }
  return ReaderLane::kGeneral;
}

}  // namespace rekindle
