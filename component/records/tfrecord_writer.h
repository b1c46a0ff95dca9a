#ifndef REKINDLE_COMPONENT_RECORDS_TFRECORD_WRITER_H_
#define REKINDLE_COMPONENT_RECORDS_TFRECORD_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

enum class TfRecordCompression { kNone, kGzip };

// Writes a TFRecord file that TensorFlow reads. The same records give the same
// bytes, whenever and wherever they are written. Thread-compatible.
class TfRecordWriter {
 public:
  virtual ~TfRecordWriter() = default;

  // UNAVAILABLE  the bytes cannot be written; the file is of no use
  virtual absl::Status Write(absl::string_view record) = 0;

  // Lets readers of the file see every record written so far, whole.
  //
  //   UNAVAILABLE  the bytes cannot be written; the file is of no use
  virtual absl::Status Flush() = 0;

  // Writes what is left and closes the file. Must be the last call; a writer
  // destroyed without it leaves a file cut short. Does not wait for the disk:
  // whoever publishes the file does.
  //
  //   UNAVAILABLE  the bytes cannot be written; the file is of no use
  virtual absl::Status Close() = 0;
};

// Creates or empties the file at `path`.
//
//   UNAVAILABLE  the folder is missing, full or not writable
absl::StatusOr<std::unique_ptr<TfRecordWriter>> OpenTfRecordWriter(
    const std::string& path, TfRecordCompression compression);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RECORDS_TFRECORD_WRITER_H_
