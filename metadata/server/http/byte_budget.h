// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_BYTE_BUDGET_H_
#define REKINDLE_METADATA_SERVER_HTTP_BYTE_BUDGET_H_

#include <cstddef>
#include <utility>

namespace rekindle::http {

// How much memory many may hold together. Thread-compatible, with its shares.
class ByteBudget {
 public:
  // What one of them holds; given back when it ends.
  class Share {
   public:
    // `budget` is not owned and must outlive the share.
    explicit Share(ByteBudget& budget) : budget_(&budget) {}
    Share(Share&& other) noexcept
        : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&&) = delete;
    ~Share() { budget_->taken_ -= bytes_; }

    // Changes the share to `bytes`; false, and nothing is changed, if others
    // hold too much. One that is alone may hold any number.
    bool Resize(size_t bytes) {
      const size_t others = budget_->taken_ - bytes_;
      const bool fits = bytes <= bytes_ || others == 0 ||
                        others + bytes <= budget_->max_bytes_;
      if (!fits) return false;
      budget_->taken_ = others + bytes;
      bytes_ = bytes;
      return true;
    }

    size_t bytes() const { return bytes_; }

   private:
    ByteBudget* const budget_;
    size_t bytes_ = 0;
  };

  explicit ByteBudget(size_t max_bytes) : max_bytes_(max_bytes) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

 private:
  const size_t max_bytes_;
  size_t taken_ = 0;
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_BYTE_BUDGET_H_
