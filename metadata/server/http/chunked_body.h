// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_CHUNKED_BODY_H_
#define REKINDLE_METADATA_SERVER_HTTP_CHUNKED_BODY_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace rekindle::http {

// Takes a body that comes in chunks apart. Chunks have a size and nothing else,
// and nothing follows the last one. Thread-compatible.
class ChunkedBody {
 public:
  enum class State { kMore, kDone, kMalformed, kTooLarge };

  // The body has at most `max_bytes`.
  explicit ChunkedBody(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Appends what `bytes` hold of the body to it; returns how many of them were
  // taken, which is all in state kMore.
  size_t Take(absl::string_view bytes, std::string* body);

  State state() const { return state_; }

 private:
  enum class Part {
    kSize,
    kSizeEnd,
    kData,
    kDataEnd,
    kDataLineEnd,
    kEnd,
    kEndLine
  };

  void TakeByte(char c);
  void TakeSizeByte(char c);
  void BeginChunk(char c);
  // Goes on to `next` if `c` is `expected`.
  void Expect(char expected, char c, Part next);

  const size_t max_bytes_;
  State state_ = State::kMore;
  Part part_ = Part::kSize;
  size_t taken_ = 0;
  // Of the chunk: its size, the digits of it, and what has not come yet.
  size_t size_ = 0;
  size_t digits_ = 0;
  size_t left_ = 0;
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_CHUNKED_BODY_H_
