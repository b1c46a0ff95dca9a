// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LIMITS_CALL_KIND_H_
#define REKINDLE_METADATA_SERVER_LIMITS_CALL_KIND_H_

#include "absl/strings/string_view.h"
#include "metadata/api/reader_lane.h"

namespace rekindle {

// Calls share what the server has by what they are for: those of one kind do
// not use up what another needs.
enum class CallKind {
  kGeneral,      // ML Metadata's
  kStep,         // a step's, which loses its lease if they wait too long
  kMaintenance,  // looks at, or copies, all of the store
  kStream,       // the same, and goes on as long as its client does
};

// The kind of the call `method`, such as "Renew".
CallKind KindOfCall(absl::string_view method);

ReaderLane LaneOf(CallKind kind);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LIMITS_CALL_KIND_H_
