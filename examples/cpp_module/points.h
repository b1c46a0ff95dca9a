#ifndef LINE_MODULE_POINTS_H_
#define LINE_MODULE_POINTS_H_

#include <cstdint>
#include <memory>

#include "rekindle/training/dataset.h"

namespace line {

// Points (x1, x2) with y = 3 x1 - 2 x2 + 1, give or take some noise.
struct PointsOptions {
  int64_t batch_size = 0;  // of all replicas together
  int64_t points = 0;      // 0: without end
  double noise = 0;        // largest error of y
  uint64_t seed = 0;
};

// A stream of batches with the tensors "x" [n, 2] and "y" [n]. Point i depends
// on the seed and i alone, so the stream can start anywhere.
std::unique_ptr<rekindle::Dataset> MakePoints(
    const PointsOptions& options, const rekindle::InputContext& context);

}  // namespace line

#endif  // LINE_MODULE_POINTS_H_
