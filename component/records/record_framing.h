#ifndef REKINDLE_COMPONENT_RECORDS_RECORD_FRAMING_H_
#define REKINDLE_COMPONENT_RECORDS_RECORD_FRAMING_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rekindle {

// Appends `record` as a TFRecord file holds it: its length, the length's
// checksum, the bytes, their checksum. Thread-safe.
void AppendFramedRecord(absl::string_view record, std::string* out);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RECORDS_RECORD_FRAMING_H_
