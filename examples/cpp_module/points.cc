#include "points.h"

#include <algorithm>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"

namespace line {
namespace {

using ::rekindle::Batch;
using ::rekindle::InputContext;
using ::rekindle::InputPosition;
using ::rekindle::TensorSpec;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

// A global batch is cut into one slice for each replica of each worker; this
// stream gives the slices of its own replicas, one after the other.
class Points final : public rekindle::Dataset {
 public:
  Points(const PointsOptions& options, const InputContext& context)
      : options_(options),
        replicas_(context.replicas),
        first_slice_(int64_t{context.worker} * context.replicas),
        slice_(options.batch_size / (int64_t{context.workers} * replicas_)),
        spec_({{"x", tensorflow::DT_FLOAT, {-1, 2}},
               {"y", tensorflow::DT_FLOAT, {-1}}}) {}

  const std::vector<TensorSpec>& spec() const override { return spec_; }

  absl::StatusOr<bool> Next(Batch* batch) override {
    const int64_t first = FirstPoint();
    batch->size = options_.points == 0
                      ? slice_
                      : std::clamp<int64_t>(options_.points - first, 0, slice_);
    if (batch->size == 0) return false;
    Tensor x(tensorflow::DT_FLOAT, TensorShape({batch->size, 2}));
    Tensor y(tensorflow::DT_FLOAT, TensorShape({batch->size}));
    for (int64_t i = 0; i < batch->size; ++i) Fill(first + i, i, &x, &y);
    batch->tensors = {x, y};
    ++given_;
    return true;
  }

  InputPosition position() const override {
    return {.epoch = 0, .examples = FirstPoint()};
  }

  absl::Status Seek(const InputPosition& position) override {
    const int64_t batch = position.examples / options_.batch_size;
    const int64_t slice = position.examples % options_.batch_size / slice_;
    given_ = batch * replicas_ + slice - first_slice_;
    if (position == this->position()) return absl::OkStatus();
    return absl::OutOfRangeError("no batch begins at that point");
  }

 private:
  // The first point of the batch that Next gives next.
  int64_t FirstPoint() const {
    const int64_t batch = given_ / replicas_;
    const int64_t slice = first_slice_ + given_ % replicas_;
    return batch * options_.batch_size + slice * slice_;
  }

  void Fill(int64_t point, int64_t row, Tensor* x, Tensor* y) const {
    std::seed_seq seed = {options_.seed, static_cast<uint64_t>(point)};
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    const float x1 = uniform(random);
    const float x2 = uniform(random);
    const float error = static_cast<float>(options_.noise) * uniform(random);
    x->matrix<float>()(row, 0) = x1;
    x->matrix<float>()(row, 1) = x2;
    y->vec<float>()(row) = 3 * x1 - 2 * x2 + 1 + error;
  }

  const PointsOptions options_;
  const int64_t replicas_;
  const int64_t first_slice_;
  const int64_t slice_;  // examples of a replica in a batch
  const std::vector<TensorSpec> spec_;
  int64_t given_ = 0;  // batches
};

}  // namespace

std::unique_ptr<rekindle::Dataset> MakePoints(const PointsOptions& options,
                                              const InputContext& context) {
  return std::make_unique<Points>(options, context);
}

}  // namespace line
