#include "component/records/tfrecord_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <zlib.h>

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

absl::Status ReadError(const std::string& path) {
  return absl::UnavailableError(
      absl::StrCat("cannot read '", path, "': ", std::strerror(errno)));
}

class PlainSource final : public ByteSource {
 public:
  PlainSource(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  PlainSource(const PlainSource&) = delete;
  PlainSource& operator=(const PlainSource&) = delete;
  ~PlainSource() override { close(fd_); }

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    ssize_t got = 0;
    do {
      got = read(fd_, out, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return ReadError(path_);
    return static_cast<size_t>(got);
  }

 private:
  const int fd_;
  const std::string path_;
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(gzFile file, std::string path)
      : file_(file), path_(std::move(path)) {
    gzbuffer(file_, kBufferSize);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { gzclose_r(file_); }

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    const int got = gzread(file_, out, static_cast<unsigned>(size));
    if (got > 0) return static_cast<size_t>(got);
    int code = Z_OK;
    const char* message = gzerror(file_, &code);
    if (code == Z_OK || code == Z_STREAM_END) return 0;
    if (code == Z_ERRNO) return ReadError(path_);
    return absl::DataLossError(message);
  }

 private:
  gzFile file_;
  const std::string path_;
};

// A plain file may begin with gzip's magic by chance (a first record of half a
// megabyte); one whose first header carries the right checksum is plain.
bool IsGzip(absl::string_view start) {
  if (start.size() < 2 || start.substr(0, 2) != "\x1f\x8b") return false;
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
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    return absl::NotFoundError(absl::StrCat("there is no file '", path, "'"));
  }
  if (fd < 0) return ReadError(path);
  auto plain = std::make_unique<PlainSource>(fd, path);

  char start[kHeaderSize];
  const ssize_t got = pread(fd, start, sizeof(start), 0);
  if (got < 0) return ReadError(path);
  if (!IsGzip({start, static_cast<size_t>(got)})) {
    return std::make_unique<TfRecordReader>(std::move(plain), path);
  }
  gzFile gzip = gzopen(path.c_str(), "rbe");
  if (gzip == nullptr) return ReadError(path);
  return std::make_unique<TfRecordReader>(
      std::make_unique<GzipSource>(gzip, path), path);
}

}  // namespace rekindle
