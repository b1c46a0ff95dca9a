#include "component/input/example_stream.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "component/input/batch_maker.h"
#include "component/input/input_plan.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {
namespace {

std::vector<TensorSpec> SpecOf(const InputPlan& plan) {
  if (plan.features.has_value()) return BatchTensors(*plan.features);
  return {{kExamplesTensor, tensorflow::DT_STRING, {-1}}};
}

// Global batches on their way from the thread that makes them to the one that
// uses them, and back, for their memory. A maker that has filled the queue
// sleeps until half of it is used: waking it for each batch would cost a small
// model a fifth of its step. Thread-safe.
class BatchQueue {
 public:
  explicit BatchQueue(size_t capacity) : capacity_(capacity) {}

  // For the maker. A group to fill, once the queue has room; null when closed.
  std::unique_ptr<BatchGroup> TakeEmpty() {
    std::unique_lock lock(mutex_);
    if (ready_.size() >= capacity_) {
      room_.wait(lock, [&] { return closed_ || IsHalfUsed(); });
    }
    if (closed_) return nullptr;
    if (empty_.empty()) return std::make_unique<BatchGroup>();
    std::unique_ptr<BatchGroup> group = std::move(empty_.back());
    empty_.pop_back();
    return group;
  }
  void Put(std::unique_ptr<BatchGroup> group) {
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(group));
    }
    arrived_.notify_one();
  }
  // There is no further batch; `status` says why.
  void Finish(absl::Status status) {
    {
      const std::lock_guard lock(mutex_);
      finished_ = std::move(status);
    }
    arrived_.notify_one();
  }

  // For the user. The next group; null after the last. `done` is one that is
  // used up, or null.
  absl::StatusOr<std::unique_ptr<BatchGroup>> Exchange(
      std::unique_ptr<BatchGroup> done) {
    std::unique_lock lock(mutex_);
    if (done != nullptr) empty_.push_back(std::move(done));
    arrived_.wait(lock,
                  [&] { return !ready_.empty() || finished_.has_value(); });
    if (ready_.empty()) {
      RK_RETURN_IF_ERROR(*finished_);
      return nullptr;
    }
    std::unique_ptr<BatchGroup> group = std::move(ready_.front());
    ready_.pop_front();
    const bool wake = IsHalfUsed();
    lock.unlock();
    if (wake) room_.notify_one();
    return group;
  }
  // Sends the maker home.
  void Close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    room_.notify_one();
  }
  // As new; the maker must have gone.
  void Reopen() {
    const std::lock_guard lock(mutex_);
    closed_ = false;
    finished_.reset();
    for (std::unique_ptr<BatchGroup>& group : ready_) {
      empty_.push_back(std::move(group));
    }
    ready_.clear();
  }

 private:
  bool IsHalfUsed() const { return 2 * ready_.size() <= capacity_; }

  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable arrived_;
  std::deque<std::unique_ptr<BatchGroup>> ready_;
  std::vector<std::unique_ptr<BatchGroup>> empty_;
  std::optional<absl::Status> finished_;
  bool closed_ = false;
};

// A BatchMaker on a thread of its own, ahead of whoever calls Next.
class ExampleStream final : public Dataset {
 public:
  explicit ExampleStream(InputPlan plan)
      : spec_(SpecOf(plan)),
        queue_(static_cast<size_t>(plan.prefetch)),
        maker_(std::move(plan), &cancelled_) {
    Start();
  }
  ExampleStream(const ExampleStream&) = delete;
  ExampleStream& operator=(const ExampleStream&) = delete;
  ~ExampleStream() override { Stop(); }

  const std::vector<TensorSpec>& spec() const override { return spec_; }

  absl::StatusOr<bool> Next(Batch* batch) override {
    untouched_ = false;
    if (group_ == nullptr || given_ == group_->filled) {
      RK_ASSIGN_OR_RETURN(group_, queue_.Exchange(std::move(group_)));
      given_ = 0;
      if (group_ == nullptr) return false;
    }
    std::swap(*batch, group_->slices[static_cast<size_t>(given_++)]);
    if (given_ == group_->filled) position_ = group_->after;
    return true;
  }

  InputPosition position() const override { return position_; }

  absl::Status Seek(const InputPosition& position) override {
    if (untouched_ && position == position_) return absl::OkStatus();
    Stop();
    group_.reset();
    position_ = position;
    untouched_ = false;
    cancelled_ = false;
    const absl::Status sought = maker_.Seek(position);
    queue_.Reopen();
    if (sought.ok()) {
      Start();
    } else {
      queue_.Finish(sought);
    }
    return sought;
  }

 private:
  void Start() {
    untouched_ = true;
    thread_ = std::thread([this] { queue_.Finish(MakeAll()); });
  }

  absl::Status MakeAll() {
    while (std::unique_ptr<BatchGroup> group = queue_.TakeEmpty()) {
      RK_ASSIGN_OR_RETURN(const bool made, maker_.Make(group.get()));
      if (!made) break;
      queue_.Put(std::move(group));
    }
    return absl::OkStatus();
  }

  void Stop() {
    cancelled_ = true;
    queue_.Close();
    if (thread_.joinable()) thread_.join();
  }

  const std::vector<TensorSpec> spec_;
  BatchQueue queue_;
  std::atomic<bool> cancelled_ = false;
  BatchMaker maker_;
  std::thread thread_;
  // For Next.
  std::unique_ptr<BatchGroup> group_;
  int64_t given_ = 0;  // slices of it
  InputPosition position_;
  bool untouched_ = true;  // since the thread was started
};

}  // namespace

absl::StatusOr<std::unique_ptr<Dataset>> OpenExampleStream(
    const DataConfig& data, const std::optional<FeatureSpec>& features,
    const InputContext& context, uint64_t seed) {
  RK_ASSIGN_OR_RETURN(InputPlan plan,
                      MakeInputPlan(data, features, context, seed));
  return StreamOf(std::move(plan));
}

std::unique_ptr<Dataset> StreamOf(InputPlan plan) {
  return std::make_unique<ExampleStream>(std::move(plan));
}

}  // namespace rekindle
