#include "component/records/byte_source.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/records/gzip_source.h"

namespace rekindle {
namespace {

absl::Status ReadError(const std::string& path) {
  return absl::UnavailableError(
      absl::StrCat("cannot read '", path, "': ", std::strerror(errno)));
}

absl::StatusOr<uint64_t> GzipRatio() {
  constexpr uint64_t kByDefault = 300;
  const char* text = std::getenv(kGzipRatioVariable);
  uint64_t ratio = kByDefault;
  if (text == nullptr || *text == '\0' || absl::SimpleAtoi(text, &ratio)) {
    return ratio;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(kGzipRatioVariable, "='", text, "' is not a whole number"));
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

}  // namespace

bool BeginsLikeGzip(absl::string_view start) {
  return start.substr(0, 2) == "\x1f\x8b";
}

absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteSource(
    const std::string& path, const IsGzip& is_gzip) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    return absl::NotFoundError(absl::StrCat("there is no file '", path, "'"));
  }
  if (fd < 0) return ReadError(path);
  auto plain = std::make_unique<PlainSource>(fd, path);

  std::array<char, kGzipProbe> start;
  const ssize_t got = pread(fd, start.data(), start.size(), 0);
  if (got < 0) return ReadError(path);
  if (!is_gzip({start.data(), static_cast<size_t>(got)})) return plain;
  RK_ASSIGN_OR_RETURN(const uint64_t ratio, GzipRatio());
  return std::make_unique<GzipSource>(std::move(plain), ratio);
}

}  // namespace rekindle
