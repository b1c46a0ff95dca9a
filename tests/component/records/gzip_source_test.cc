#include "component/records/gzip_source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>
#include <zlib.h>

#include "gtest/gtest.h"

namespace rekindle {
namespace {

using Random = std::mt19937_64;

// Gives `bytes` in pieces of random sizes.
class StringSource final : public ByteSource {
 public:
  StringSource(std::string bytes, Random* random)
      : bytes_(std::move(bytes)), random_(*random) {}

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    size = std::min({size, bytes_.size() - given_, 1 + random_() % 5000});
    bytes_.copy(out, size, given_);
    given_ += size;
    return size;
  }

 private:
  const std::string bytes_;
  Random& random_;
  size_t given_ = 0;
};

// As zlib packs it.
std::string Packed(const std::string& bytes, int level) {
  z_stream stream = {};
  EXPECT_EQ(
      deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Bytes that can be packed more or less.
std::string RandomBytes(Random* random) {
  std::string bytes((*random)() % 300'000, '\0');
  const uint64_t kinds = 1 + (*random)() % 256;
  for (char& byte : bytes) byte = static_cast<char>((*random)() % kinds);
  return bytes;
}

absl::StatusOr<std::string> Unpacked(const std::string& packed, Random* random,
                                     uint64_t most_times = 0) {
  GzipSource source(std::make_unique<StringSource>(packed, random), most_times);
  std::string bytes;
  std::vector<char> piece(1 + (*random)() % 100'000);
  while (true) {
    const absl::StatusOr<size_t> got =
        source.Read(piece.data(), 1 + (*random)() % piece.size());
    if (!got.ok()) return got.status();
    if (*got == 0) return bytes;
    bytes.append(piece.data(), *got);
  }
}

class GzipSourceTest : public ::testing::Test {
 protected:
  const uint64_t seed_ = std::random_device()();
  Random random_{seed_};
};

TEST_F(GzipSourceTest, GivesWhatZlibPackedInOneStreamOrSeveral) {
  for (int round = 0; round < 60; ++round) {
    std::string bytes;
    std::string packed;
    for (uint64_t streams = 1 + random_() % 3; streams > 0; --streams) {
      const std::string part = random_() % 8 == 0 ? "" : RandomBytes(&random_);
      bytes += part;
      packed += Packed(part, static_cast<int>(random_() % 10));
    }
    if (random_() % 4 == 0) packed += "behind the end";
    const auto unpacked = Unpacked(packed, &random_);
    ASSERT_TRUE(unpacked.ok()) << unpacked.status() << " seed " << seed_;
    ASSERT_TRUE(*unpacked == bytes) << "seed " << seed_;
  }
}

TEST_F(GzipSourceTest, AStreamThatIsCutShortIsDataLoss) {
  const std::string packed = Packed(RandomBytes(&random_) + "x", 6);
  for (int round = 0; round < 60; ++round) {
    const size_t left = 1 + random_() % (packed.size() - 1);
    const auto unpacked = Unpacked(packed.substr(0, left), &random_);
    EXPECT_EQ(unpacked.status().code(), absl::StatusCode::kDataLoss)
        << left << " of " << packed.size() << " bytes, seed " << seed_;
  }
}

TEST_F(GzipSourceTest, AChangedByteIsDataLossUnlessItIsOfTheHeader) {
  const std::string bytes = RandomBytes(&random_) + "x";
  const std::string packed = Packed(bytes, 6);
  for (int round = 0; round < 60; ++round) {
    std::string damaged = packed;
    const size_t place = random_() % packed.size();
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << (random_() % 8)));
    const auto unpacked = Unpacked(damaged, &random_);
    if (unpacked.ok()) {
      EXPECT_LT(place, 10u) << "seed " << seed_;
      EXPECT_TRUE(*unpacked == bytes) << "seed " << seed_;
    } else {
      EXPECT_EQ(unpacked.status().code(), absl::StatusCode::kDataLoss);
    }
  }
}

TEST_F(GzipSourceTest, AStreamThatBecomesFarLargerIsRefused) {
  const std::string bytes(70 << 20, 'x');
  const std::string packed = Packed(bytes, 9);
  const auto refused = Unpacked(packed, &random_, /*most_times=*/300);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(refused.status().message().find("REKINDLE_GZIP_RATIO=N"),
            absl::string_view::npos)
      << refused.status();
  for (const uint64_t most_times : {0, 2000}) {
    EXPECT_TRUE(Unpacked(packed, &random_, most_times).ok()) << most_times;
  }
}

TEST_F(GzipSourceTest, ALittleMayBecomeAsLargeAsItLikes) {
  const std::string bytes(1 << 20, 'x');
  EXPECT_TRUE(Unpacked(Packed(bytes, 9), &random_, /*most_times=*/2).ok());
}

}  // namespace
}  // namespace rekindle
