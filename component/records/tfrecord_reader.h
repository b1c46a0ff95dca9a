#ifndef REKINDLE_COMPONENT_RECORDS_TFRECORD_READER_H_
#define REKINDLE_COMPONENT_RECORDS_TFRECORD_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "component/records/byte_source.h"

namespace rekindle {

// Reads the records of a TFRecord file, one after the other, and checks every
// checksum. Thread-compatible.
class TfRecordReader {
 public:
  TfRecordReader(std::unique_ptr<ByteSource> source, std::string path);

  // The next record, or nullopt after the last. The bytes stay valid until the
  // next call. After an error every call returns that error's kind again.
  //
  //   DATA_LOSS    a checksum does not match or the file ends inside a record;
  //                the message names the file and the record's offset
  //   INVALID_ARGUMENT  as ByteSource::Read, with the file's name
  //   UNAVAILABLE       the file cannot be read
  absl::StatusOr<std::optional<absl::string_view>> Next();

  // Where the next record begins, in uncompressed bytes.
  uint64_t offset() const { return offset_; }

 private:
  // Makes `size` bytes available from position_ on; false at the file's end.
  absl::StatusOr<bool> Fill(size_t size);
  absl::StatusOr<uint64_t> ReadLength();
  absl::Status Corrupt(absl::string_view what) const;
  size_t available() const { return end_ - position_; }

  const std::unique_ptr<ByteSource> source_;
  const std::string path_;
  std::vector<char> buffer_;
  size_t position_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;
};

// Opens the file at `path`, plain or gzip as its first bytes say. An empty file
// has no records.
//
//   NOT_FOUND    there is no such file
//   UNAVAILABLE  it cannot be read
absl::StatusOr<std::unique_ptr<TfRecordReader>> OpenTfRecordReader(
    const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RECORDS_TFRECORD_READER_H_
