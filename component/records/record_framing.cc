#include "component/records/record_framing.h"

#include <cstddef>
#include <cstdint>

#include "component/records/crc32c.h"

namespace rekindle {
namespace {

template <typename Integer>
void AppendLittleEndian(Integer value, std::string* out) {
  for (size_t i = 0; i < sizeof(value); ++i) {
    out->push_back(static_cast<char>(value >> (8 * i)));
  }
}

}  // namespace

void AppendFramedRecord(absl::string_view record, std::string* out) {
  const size_t start = out->size();
  AppendLittleEndian(uint64_t{record.size()}, out);
  AppendLittleEndian(
      MaskedCrc32c(absl::string_view(*out).substr(start, sizeof(uint64_t))),
      out);
  out->append(record.data(), record.size());
  AppendLittleEndian(MaskedCrc32c(record), out);
}

}  // namespace rekindle
