#include "component/records/gzip_source.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

constexpr size_t kBufferSize = 256 << 10;
// What may come of any stream.
constexpr uint64_t kFreeBytes = 64 << 20;

absl::Status Damaged(int code) {
  switch (code) {
    case ISAL_INCORRECT_CHECKSUM:
      return absl::DataLossError("the checksum of the gzip stream is wrong");
    case ISAL_INVALID_WRAPPER:
    case ISAL_UNSUPPORTED_METHOD:
      return absl::DataLossError("the header of the gzip stream is wrong");
    default:
      return absl::DataLossError("the gzip stream is damaged");
  }
}

}  // namespace

GzipSource::GzipSource(std::unique_ptr<ByteSource> packed, uint64_t most_times)
    : packed_(std::move(packed)),
      most_times_(most_times),
      buffer_(kBufferSize) {
  isal_inflate_init(&state_);
  state_.crc_flag = ISAL_GZIP;
}

absl::StatusOr<size_t> GzipSource::Read(char* out, size_t size) {
  RK_RETURN_IF_ERROR(damage_);
  const auto most = static_cast<uint32_t>(
      std::min<size_t>(size, std::numeric_limits<uint32_t>::max()));
  state_.next_out = reinterpret_cast<uint8_t*>(out);
  state_.avail_out = most;
  while (state_.avail_out == most) {
    // What was read may wait inside the state for room to be written.
    RK_ASSIGN_OR_RETURN(const bool more, Refill());
    if (!inside_ && !(more && BeginStream())) return 0;
    const int code = isal_inflate(&state_);
    if (code != ISAL_DECOMP_OK) {
      damage_ = Damaged(code);
      break;
    }
    inside_ = state_.block_state != ISAL_BLOCK_FINISH;
    if (inside_ && !more && state_.avail_out == most) {
      return absl::DataLossError("the gzip stream is cut short");
    }
  }
  // What came before the damage is given first: a record's own checksum tells
  // best where that is.
  if (state_.avail_out == most) return damage_;
  unpacked_bytes_ += most - state_.avail_out;
  damage_.Update(CheckSize());
  return most - state_.avail_out;
}

absl::Status GzipSource::CheckSize() const {
  if (most_times_ == 0 || unpacked_bytes_ <= kFreeBytes ||
      unpacked_bytes_ / most_times_ <= packed_bytes_) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      packed_bytes_, " bytes of gzip have become ", unpacked_bytes_,
      " and more, over ", most_times_, " times as many; ", kGzipRatioVariable,
      "=N allows N times, 0 any number"));
}

absl::StatusOr<bool> GzipSource::Refill() {
  if (state_.avail_in > 0) return true;
  RK_ASSIGN_OR_RETURN(
      const size_t got,
      packed_->Read(reinterpret_cast<char*>(buffer_.data()), buffer_.size()));
  state_.next_in = buffer_.data();
  state_.avail_in = static_cast<uint32_t>(got);
  packed_bytes_ += got;
  return got > 0;
}

bool GzipSource::BeginStream() {
  const absl::string_view rest(reinterpret_cast<const char*>(state_.next_in),
                               state_.avail_in);
  // The second byte of its magic may be in the next piece.
  if (rest != "\x1f" && !BeginsLikeGzip(rest)) return false;
  isal_inflate_reset(&state_);
  state_.crc_flag = ISAL_GZIP;
  return true;
}

}  // namespace rekindle
