// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_REQUEST_READER_H_
#define REKINDLE_METADATA_SERVER_HTTP_REQUEST_READER_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "metadata/server/http/chunked_body.h"
#include "metadata/server/http/limits.h"
#include "metadata/server/http/message.h"

namespace rekindle::http {

// Makes one request of bytes that come in any pieces, and holds no more of them
// than the limits allow: a request that is too large or is none is refused at
// the byte that shows it. Thread-compatible.
class RequestReader {
 public:
  enum class State { kHead, kBody, kComplete, kRefused };

  // `limits` are not owned and must outlive the reader.
  explicit RequestReader(const Limits& limits)
      : limits_(limits), chunks_(limits.body_bytes) {}

  // Returns how many of `bytes` belong to the request: all while it needs more,
  // and those up to its headers' end when that is among them, so that the
  // headers can be judged before the body is read.
  size_t Take(absl::string_view bytes);

  State state() const { return state_; }
  // Whether any byte of the request has come.
  bool has_begun() const { return state_ != State::kHead || !text_.empty(); }

  // Once its headers are read.
  const Head& head() const { return head_; }
  size_t body_size() const { return body_.size(); }
  // In state kComplete.
  Request TakeRequest() { return {std::move(head_), std::move(body_), {}}; }
  // In state kRefused.
  const Refusal& refusal() const { return *refusal_; }

 private:
  size_t TakeHead(absl::string_view bytes);
  void TakeHeadByte(char c);
  std::optional<Refusal> CheckHeadByte(char c) const;
  void EndHead();
  size_t TakeBody(absl::string_view bytes);
  size_t TakeChunks(absl::string_view bytes);
  void Refuse(Refusal refusal);

  const Limits& limits_;
  State state_ = State::kHead;
  // Of the head so far: its text, its lines that have ended, and empty lines
  // before it.
  std::string text_;
  size_t lines_ = 0;
  size_t empty_lines_ = 0;
  Head head_;
  std::string body_;
  ChunkedBody chunks_;
  std::optional<Refusal> refusal_;
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_REQUEST_READER_H_
