// SQLite's write-ahead log and its index, as https://sqlite.org/walformat.html
// describes them: what the checking VFS needs of them.
#ifndef REKINDLE_TESTS_METADATA_LOG_FORMAT_H_
#define REKINDLE_TESTS_METADATA_LOG_FORMAT_H_

#include <array>
#include <cstdint>
#include <cstring>

namespace rekindle {

// Slots that xShmLock locks.
constexpr int kWriteLock = 0;
constexpr int kCheckpointLock = 1;
constexpr int kRecoveryLock = 2;

constexpr int64_t kLogHeaderBytes = 32;
constexpr int64_t kFrameHeaderBytes = 24;

using LogChecksum = std::array<uint32_t, 2>;

inline uint32_t BigEndian(const char* bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// A header of the log's index. There are two copies: a reader believes them
// when they are equal, and a writer changes the second one first.
struct IndexHeader {
  static constexpr int kBytes = 48;

  IndexHeader(const volatile void* index, int copy) {
    const auto* const from =
        static_cast<const volatile char*>(index) + copy * kBytes;
    for (int i = 0; i < kBytes; ++i) bytes[i] = from[i];
  }

  template <typename T>
  T At(int offset) const {
    T value;
    std::memcpy(&value, &bytes[offset], sizeof(T));
    return value;
  }

  bool initialized() const { return bytes[12] != 0; }
  bool big_endian_checksums() const { return bytes[13] != 0; }
  int64_t page_size() const {
    const int64_t size = At<uint16_t>(14);
    return (size & 0xfe00) + ((size & 1) << 16);
  }
  uint32_t frames() const { return At<uint32_t>(16); }
  LogChecksum checksum() const { return At<LogChecksum>(24); }
  std::array<char, 8> salt() const { return At<std::array<char, 8>>(32); }

  int64_t FrameOffset(uint32_t frame) const {  // the first one is 1
    return kLogHeaderBytes + (frame - 1) * (kFrameHeaderBytes + page_size());
  }
  // Where the log's committed frames end; 0 if it has none.
  int64_t CommittedEnd() const {
    return frames() == 0 ? 0 : FrameOffset(frames() + 1);
  }

  std::array<char, kBytes> bytes;
};

// The checksum of `size` bytes, a multiple of 8, that come after `sum`.
inline LogChecksum AddToChecksum(LogChecksum sum, const char* bytes,
                                 int64_t size, bool big_endian) {
  const auto word = [&](int64_t at) {
    uint32_t value;
    std::memcpy(&value, bytes + at, sizeof(value));
    return big_endian ? __builtin_bswap32(value) : value;
  };
  for (int64_t at = 0; at < size; at += 8) {
    sum[0] += word(at) + sum[1];
    sum[1] += word(at + 4) + sum[0];
  }
  return sum;
}

}  // namespace rekindle

#endif  // REKINDLE_TESTS_METADATA_LOG_FORMAT_H_
