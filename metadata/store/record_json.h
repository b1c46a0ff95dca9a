// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_RECORD_JSON_H_
#define REKINDLE_METADATA_STORE_RECORD_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rekindle/v1/maintenance_service.pb.h"

namespace rekindle {

// Records of an export as lines of text, without the line's end:
//
//   RecordFromJson(RecordToJson(record)) == record, for every record
//
// and equal records make equal lines.

absl::StatusOr<std::string> RecordToJson(const v1::ExportRecord& record);

//   INVALID_ARGUMENT  the line is not a record
absl::StatusOr<v1::ExportRecord> RecordFromJson(absl::string_view line);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_RECORD_JSON_H_
