#ifndef REKINDLE_COMPONENT_DATA_GZIP_BLOCK_H_
#define REKINDLE_COMPONENT_DATA_GZIP_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <zlib.h>

#include "absl/strings/string_view.h"

namespace rekindle {

// A piece of a gzip stream: what it unpacks to is compressed without looking at
// the pieces before it, and ends on a byte's end.
struct GzipBlock {
  std::string bytes;
  uint32_t crc = 0;   // of what it unpacks to
  size_t size = 0;    // likewise
  bool last = false;  // no other piece follows
};

// Makes such pieces, at zlib's default level. Thread-compatible.
class GzipBlockMaker {
 public:
  GzipBlockMaker();
  ~GzipBlockMaker();
  GzipBlockMaker(const GzipBlockMaker&) = delete;
  GzipBlockMaker& operator=(const GzipBlockMaker&) = delete;

  // `content` has less than 4 GiB.
  GzipBlock Make(absl::string_view content, bool last);

 private:
  z_stream zlib_{};
};

// What stands before the first piece: no name and no time, so that equal
// content gives equal bytes.
absl::string_view GzipHeader();

// What stands behind the last one: the checksum and the size of everything.
class GzipTrailer {
 public:
  void Add(const GzipBlock& block);
  std::string Bytes() const;

 private:
  uint32_t crc_ = 0;
  uint32_t size_ = 0;  // modulo 2^32
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_GZIP_BLOCK_H_
