#ifndef REKINDLE_COMPONENT_RECORDS_BYTE_SOURCE_H_
#define REKINDLE_COMPONENT_RECORDS_BYTE_SOURCE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Where a reader's bytes come from, piece by piece. Thread-compatible.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills at most `size` bytes at `out`; returns how many, 0 at the end.
  //
  //   DATA_LOSS         the compressed stream is damaged or cut short
  //   INVALID_ARGUMENT  it becomes too large (kGzipRatioVariable)
  //   UNAVAILABLE       the file cannot be read
  virtual absl::StatusOr<size_t> Read(char* out, size_t size) = 0;
};

// How many bytes of a file's start are enough to tell that it is gzip.
inline constexpr size_t kGzipProbe = 12;

// Whether a file that begins with `start`, at most kGzipProbe bytes, is gzip.
using IsGzip = std::function<bool(absl::string_view start)>;
bool BeginsLikeGzip(absl::string_view start);

// The environment variable that says how many times as large a gzip file may
// become; 0 is any number. 300 by default, which only data that repeats itself
// over and over reaches; gzip's own limit is 1032.
inline constexpr char kGzipRatioVariable[] = "REKINDLE_GZIP_RATIO";

// Opens the file at `path`; what `is_gzip` says is gzip is read unpacked.
//
//   INVALID_ARGUMENT  the variable above is no number
//   NOT_FOUND         there is no such file
//   UNAVAILABLE       it cannot be read
absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteSource(
    const std::string& path, const IsGzip& is_gzip = BeginsLikeGzip);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RECORDS_BYTE_SOURCE_H_
