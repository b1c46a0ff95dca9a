#ifndef REKINDLE_COMPONENT_IO_RANDOM_STREAM_H_
#define REKINDLE_COMPONENT_IO_RANDOM_STREAM_H_

#include <cstdint>

namespace rekindle {

// A stream of random numbers that depends only on its two keys: the same on
// every machine and with every library, which std::shuffle and the standard's
// distributions are not. (SplitMix64.) Thread-compatible.
class RandomStream {
 public:
  RandomStream(uint64_t seed, uint64_t stream)
      : state_(Mix(seed + kGamma) ^ Mix(stream * kGamma + 1)) {}

  uint64_t Next() { return Mix(state_ += kGamma); }

  // Uniform in [0, bound), by multiplication: the bias is below bound / 2^64.
  uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>(
        (static_cast<unsigned __int128>(Next()) * bound) >> 64);
  }

  // Uniform in [-1, 1).
  double Symmetric() {
    return static_cast<double>(Next() >> 11) * 0x1p-52 - 1.0;
  }

 private:
  static constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;

  static uint64_t Mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_RANDOM_STREAM_H_
