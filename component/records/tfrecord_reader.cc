#include "component/records/tfrecord_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/records/crc32c.h"

namespace rekindle {
namespace {

constexpr size_t kBufferSize = 256 << 10;
constexpr size_t kLengthSize = 8;
constexpr size_t kChecksumSize = 4;
constexpr size_t kHeaderSize = kLengthSize + kChecksumSize;
// What one protobuf message can hold: a longer record is no tf.Example.
constexpr uint64_t kLargestRecord = (uint64_t{1} << 31) - 1;

uint64_t LoadLittleEndian(const char* bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) {
    value = (value << 8) | static_cast<uint8_t>(bytes[i - 1]);
  }
  return value;
}

bool ChecksumMatches(absl::string_view bytes, const char* stored) {
  return MaskedCrc32c(bytes) == LoadLittleEndian(stored, kChecksumSize);
}

// A plain file may begin with gzip's magic by chance (a first record of half a
// megabyte); one whose first header carries the right checksum is plain.
bool IsGzipRecords(absl::string_view start) {
  if (!BeginsLikeGzip(start)) return false;
  return start.size() < kHeaderSize ||
         !ChecksumMatches(start.substr(0, kLengthSize),
                          start.data() + kLengthSize);
}

}  // namespace

TfRecordReader::TfRecordReader(std::unique_ptr<ByteSource> source,
                               std::string path)
    : source_(std::move(source)),
      path_(std::move(path)),
      buffer_(kBufferSize) {}

absl::StatusOr<std::optional<absl::string_view>> TfRecordReader::Next() {
  RK_ASSIGN_OR_RETURN(const bool header, Fill(kHeaderSize));
  if (!header) {
    if (available() == 0) return std::nullopt;
    return Corrupt("the file ends inside its header");
  }
  RK_ASSIGN_OR_RETURN(const uint64_t length, ReadLength());
  const size_t whole = kHeaderSize + length + kChecksumSize;
  RK_ASSIGN_OR_RETURN(const bool complete, Fill(whole));
  if (!complete) return Corrupt("the file ends inside its data");

  const char* data = buffer_.data() + position_ + kHeaderSize;
  const absl::string_view record(data, length);
  if (!ChecksumMatches(record, data + length)) {
    return Corrupt("the checksum of its data does not match");
  }
  position_ += whole;
  offset_ += whole;
  return record;
}

absl::StatusOr<uint64_t> TfRecordReader::ReadLength() {
  const char* header = buffer_.data() + position_;
  if (!ChecksumMatches({header, kLengthSize}, header + kLengthSize)) {
    return Corrupt("the checksum of its length does not match");
  }
  const uint64_t length = LoadLittleEndian(header, kLengthSize);
  if (length > kLargestRecord) {
    return Corrupt(absl::StrCat("its length is ", length, " bytes"));
  }
  return length;
}

absl::StatusOr<bool> TfRecordReader::Fill(size_t size) {
  while (available() < size) {
    if (position_ > 0) {
      std::copy(buffer_.begin() + static_cast<ptrdiff_t>(position_),
                buffer_.begin() + static_cast<ptrdiff_t>(end_),
                buffer_.begin());
      end_ -= position_;
      position_ = 0;
    }
    // Grows with what was really read, never with what a length promises.
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const absl::StatusOr<size_t> got =
        source_->Read(buffer_.data() + end_, buffer_.size() - end_);
    if (absl::IsDataLoss(got.status())) return Corrupt(got.status().message());
    if (absl::IsInvalidArgument(got.status())) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", path_, "': ", got.status().message()));
    }
    if (!got.ok()) return got.status();
    if (*got == 0) return false;
    end_ += *got;
  }
  return true;
}

absl::Status TfRecordReader::Corrupt(absl::string_view what) const {
  return absl::DataLossError(absl::StrCat("'", path_, "': record at offset ",
                                          offset_, " is damaged: ", what));
}

absl::StatusOr<std::unique_ptr<TfRecordReader>> OpenTfRecordReader(
    const std::string& path) {
  static_assert(kHeaderSize <= kGzipProbe);
  RK_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source,
                      OpenByteSource(path, IsGzipRecords));
  return std::make_unique<TfRecordReader>(std::move(source), path);
}

}  // namespace rekindle
