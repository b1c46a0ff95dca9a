#ifndef REKINDLE_COMPONENT_RECORDS_CRC32C_H_
#define REKINDLE_COMPONENT_RECORDS_CRC32C_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace rekindle {

// The CRC-32C (Castagnoli) of `bytes`. Uses the processor's instruction where
// it has one. Thread-safe.
uint32_t Crc32c(absl::string_view bytes);

// The same by table, on any processor.
uint32_t Crc32cByTable(absl::string_view bytes);

// The checksum as TFRecord files store it: rotated and offset, so that the
// checksum of data that itself contains checksums stays meaningful.
uint32_t MaskedCrc32c(absl::string_view bytes);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RECORDS_CRC32C_H_
