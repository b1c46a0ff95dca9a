#include "component/data/gzip_block.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <zlib.h>

#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

constexpr int kRawWindow = -15;  // the largest window, without any framing
constexpr int kMemoryLevel = 8;  // zlib's default

const Bytef* AsBytes(absl::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

void AppendLittleEndian(uint32_t value, std::string& out) {
  for (int shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<char>(value >> shift));
  }
}

}  // namespace

GzipBlockMaker::GzipBlockMaker() {
  // Fails only when out of memory.
  deflateInit2(&zlib_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRawWindow,
               kMemoryLevel, Z_DEFAULT_STRATEGY);
}

GzipBlockMaker::~GzipBlockMaker() { deflateEnd(&zlib_); }

GzipBlock GzipBlockMaker::Make(absl::string_view content, bool last) {
  GzipBlock block;
  block.size = content.size();
  block.last = last;
  const auto size = static_cast<uInt>(content.size());
  block.crc = static_cast<uint32_t>(crc32(0, AsBytes(content), size));
  deflateReset(&zlib_);
  // The bound holds for a finished stream; an unfinished one needs a few bytes
  // for the mark that ends it.
  constexpr size_t kEndMark = 16;
  block.bytes.resize(deflateBound(&zlib_, size) + kEndMark);
  zlib_.next_in = const_cast<Bytef*>(AsBytes(content));
  zlib_.avail_in = size;
  zlib_.next_out = reinterpret_cast<Bytef*>(block.bytes.data());
  zlib_.avail_out = static_cast<uInt>(block.bytes.size());
  deflate(&zlib_, last ? Z_FINISH : Z_SYNC_FLUSH);
  block.bytes.resize(block.bytes.size() - zlib_.avail_out);
  return block;
}

absl::string_view GzipHeader() {
  static constexpr char kHeader[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03";
  return {kHeader, sizeof(kHeader) - 1};
}

void GzipTrailer::Add(const GzipBlock& block) {
  crc_ = static_cast<uint32_t>(
      crc32_combine(crc_, block.crc, static_cast<z_off_t>(block.size)));
  size_ += static_cast<uint32_t>(block.size);
}

std::string GzipTrailer::Bytes() const {
  std::string bytes;
  AppendLittleEndian(crc_, bytes);
  AppendLittleEndian(size_, bytes);
  return bytes;
}

}  // namespace rekindle
