#include "component/records/tfrecord_writer.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>
#include <zlib.h>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/records/record_framing.h"

namespace rekindle {
namespace {

constexpr size_t kBufferSize = 256 << 10;
constexpr int kGzipWindow = 15 + 16;  // the largest window, in gzip's framing
constexpr int kMemoryLevel = 8;       // zlib's default

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

// The bytes of a file, through a buffer.
class ByteSink {
 public:
  ByteSink(FilePtr file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {
    std::setvbuf(file_.get(), nullptr, _IOFBF, kBufferSize);
  }

  absl::Status Append(absl::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) !=
        bytes.size()) {
      return WriteError();
    }
    return absl::OkStatus();
  }

  absl::Status Flush() {
    if (std::fflush(file_.get()) != 0) return WriteError();
    return absl::OkStatus();
  }

  absl::Status Close() {
    if (std::fclose(file_.release()) != 0) return WriteError();
    return absl::OkStatus();
  }

 private:
  absl::Status WriteError() const {
    return absl::UnavailableError(
        absl::StrCat("cannot write '", path_, "': ", std::strerror(errno)));
  }

  FilePtr file_;
  const std::string path_;
};

class PlainWriter final : public TfRecordWriter {
 public:
  explicit PlainWriter(ByteSink sink) : sink_(std::move(sink)) {}

  absl::Status Write(absl::string_view record) override {
    framed_.clear();
    AppendFramedRecord(record, &framed_);
    return sink_.Append(framed_);
  }

  absl::Status Flush() override { return sink_.Flush(); }

  absl::Status Close() override { return sink_.Close(); }

 private:
  ByteSink sink_;
  std::string framed_;  // keeps its memory
};

class GzipWriter final : public TfRecordWriter {
 public:
  explicit GzipWriter(ByteSink sink) : sink_(std::move(sink)) {
    // Fails only when out of memory. zlib leaves the header's time at zero.
    deflateInit2(&zlib_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow,
                 kMemoryLevel, Z_DEFAULT_STRATEGY);
  }
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;
  ~GzipWriter() override { deflateEnd(&zlib_); }

  absl::Status Write(absl::string_view record) override {
    framed_.clear();
    AppendFramedRecord(record, &framed_);
    return Deflate(framed_, Z_NO_FLUSH);
  }

  absl::Status Flush() override {
    RK_RETURN_IF_ERROR(Deflate("", Z_SYNC_FLUSH));
    return sink_.Flush();
  }

  absl::Status Close() override {
    RK_RETURN_IF_ERROR(Deflate("", Z_FINISH));
    return sink_.Close();
  }

 private:
  absl::Status Deflate(absl::string_view bytes, int flush) {
    // zlib counts in 32 bits; it only reads through next_in.
    while (bytes.size() > kLargestStep) {
      RK_RETURN_IF_ERROR(DeflateStep(bytes.substr(0, kLargestStep), flush));
      bytes.remove_prefix(kLargestStep);
    }
    return DeflateStep(bytes, flush);
  }

  absl::Status DeflateStep(absl::string_view bytes, int flush) {
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zlib_.avail_in = static_cast<uInt>(bytes.size());
    do {
      zlib_.next_out = reinterpret_cast<Bytef*>(out_.data());
      zlib_.avail_out = static_cast<uInt>(out_.size());
      deflate(&zlib_, flush);
      const size_t produced = out_.size() - zlib_.avail_out;
      RK_RETURN_IF_ERROR(sink_.Append({out_.data(), produced}));
    } while (zlib_.avail_out == 0);
    return absl::OkStatus();
  }

  static constexpr size_t kLargestStep = 1 << 30;

  ByteSink sink_;
  std::string framed_;  // keeps its memory
  z_stream zlib_{};
  std::array<char, 64 << 10> out_{};
};

}  // namespace

absl::StatusOr<std::unique_ptr<TfRecordWriter>> OpenTfRecordWriter(
    const std::string& path, TfRecordCompression compression) {
  FilePtr file(std::fopen(path.c_str(), "wbe"));
  if (file == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot create '", path, "': ", std::strerror(errno)));
  }
  ByteSink sink(std::move(file), path);
  if (compression == TfRecordCompression::kGzip) {
    return std::make_unique<GzipWriter>(std::move(sink));
  }
  return std::make_unique<PlainWriter>(std::move(sink));
}

}  // namespace rekindle
