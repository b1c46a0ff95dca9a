#include "metadata/server/http/chunked_body.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace rekindle::http {
namespace {

// 4 GiB: more than any body may have.
constexpr size_t kMaxDigits = 8;

int ValueOf(char hex_digit) {
  if (absl::ascii_isdigit(hex_digit)) return hex_digit - '0';
  return absl::ascii_tolower(hex_digit) - 'a' + 10;
}

}  // namespace

size_t ChunkedBody::Take(absl::string_view bytes, std::string* body) {
  size_t i = 0;
  while (i < bytes.size() && state_ == State::kMore) {
    if (part_ != Part::kData) {
      TakeByte(bytes[i++]);
      continue;
    }
    const size_t n = std::min(left_, bytes.size() - i);
    body->append(bytes.data() + i, n);
    i += n;
    left_ -= n;
    if (left_ == 0) part_ = Part::kDataEnd;
  }
  return i;
}

void ChunkedBody::TakeByte(char c) {
  switch (part_) {
    case Part::kSize:
      return TakeSizeByte(c);
    case Part::kSizeEnd:
      return BeginChunk(c);
    case Part::kDataEnd:
      return Expect('\r', c, Part::kDataLineEnd);
    case Part::kDataLineEnd:
      return Expect('\n', c, Part::kSize);
    case Part::kEnd:
      return Expect('\r', c, Part::kEndLine);
    case Part::kEndLine:
      state_ = c == '\n' ? State::kDone : State::kMalformed;
      return;
    case Part::kData:
      return;
  }
}

void ChunkedBody::TakeSizeByte(char c) {
  if (c == '\r' && digits_ > 0) {
    part_ = Part::kSizeEnd;
  } else if (absl::ascii_isxdigit(c) && digits_ < kMaxDigits) {
    size_ = size_ * 16 + ValueOf(c);
    ++digits_;
  } else {
    state_ = State::kMalformed;
  }
}

void ChunkedBody::BeginChunk(char c) {
  Expect('\n', c, size_ == 0 ? Part::kEnd : Part::kData);
  if (size_ > max_bytes_ - taken_) state_ = State::kTooLarge;
  taken_ += size_;
  left_ = size_;
  size_ = 0;
  digits_ = 0;
}

void ChunkedBody::Expect(char expected, char c, Part next) {
  part_ = next;
  if (c != expected) state_ = State::kMalformed;
}

}  // namespace rekindle::http
