#include "metadata/server/http/request_reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "metadata/server/http/chunked_body.h"
#include "metadata/server/http/head_parser.h"
#include "metadata/server/http/message.h"

namespace rekindle::http {
namespace {

// Some clients end a body with one that does not belong to it.
constexpr size_t kMaxEmptyLines = 2;

// From here on memory for the whole body that was announced is taken at once.
constexpr size_t kWorthReserving = 1 << 20;

}  // namespace

size_t RequestReader::Take(absl::string_view bytes) {
  if (state_ == State::kHead) return TakeHead(bytes);
  if (state_ == State::kBody) return TakeBody(bytes);
  return 0;
}

size_t RequestReader::TakeHead(absl::string_view bytes) {
  size_t i = 0;
  while (i < bytes.size() && state_ == State::kHead) TakeHeadByte(bytes[i++]);
  return i;
}

void RequestReader::TakeHeadByte(char c) {
  if (auto refusal = CheckHeadByte(c)) return Refuse(*std::move(refusal));
  text_ += c;
  if (c != '\n') return;
  if (text_ == "\r\n") {
    text_.clear();
    if (++empty_lines_ > kMaxEmptyLines) Refuse(BadRequest("it is empty"));
    return;
  }
  ++lines_;
  if (absl::EndsWith(text_, "\r\n\r\n")) return EndHead();
  if (lines_ > limits_.headers + 1) Refuse(HeadTooLarge(limits_));
}

std::optional<Refusal> RequestReader::CheckHeadByte(char c) const {
  const auto byte = static_cast<unsigned char>(c);
  const bool after_cr = absl::EndsWith(text_, "\r");
  if (after_cr != (c == '\n')) {
    return BadRequest("lines must end in CR LF");
  }
  if ((byte < ' ' && c != '\r' && c != '\n' && c != '\t') || byte == 0x7f) {
    return BadRequest("it has control characters");
  }
  // The line's end is not counted.
  if (lines_ == 0 && text_.size() >= limits_.request_line_bytes + 2) {
    return LineTooLong(limits_);
  }
  if (text_.size() >= limits_.head_bytes) return HeadTooLarge(limits_);
  return std::nullopt;
}

void RequestReader::EndHead() {
  if (auto refusal = ParseHead(text_, limits_, &head_)) {
    return Refuse(*std::move(refusal));
  }
  text_ = {};
  state_ = head_.has_body() ? State::kBody : State::kComplete;
}

size_t RequestReader::TakeBody(absl::string_view bytes) {
  if (head_.chunked) return TakeChunks(bytes);
  const size_t left = head_.content_length - body_.size();
  const size_t n = std::min(left, bytes.size());
  if (body_.size() > kWorthReserving) body_.reserve(head_.content_length);
  body_.append(bytes.data(), n);
  if (n == left) state_ = State::kComplete;
  return n;
}

size_t RequestReader::TakeChunks(absl::string_view bytes) {
  const size_t n = chunks_.Take(bytes, &body_);
  switch (chunks_.state()) {
    case ChunkedBody::State::kMore:
      break;
    case ChunkedBody::State::kDone:
      state_ = State::kComplete;
      break;
    case ChunkedBody::State::kMalformed:
      Refuse(BadRequest("a chunk must be its size in hex and its bytes"));
      break;
    case ChunkedBody::State::kTooLarge:
      Refuse(BodyTooLarge(limits_));
      break;
  }
  return n;
}

void RequestReader::Refuse(Refusal refusal) {
  state_ = State::kRefused;
  refusal_ = std::move(refusal);
  text_ = {};
  body_ = {};
}

}  // namespace rekindle::http
