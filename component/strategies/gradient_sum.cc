#include "component/strategies/gradient_sum.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/step_graph.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.pb.h"
#include "tensorflow/core/graph/graph.h"
#include "tensorflow/core/graph/node_builder.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;
using ::tensorflow::TensorShape;

// Any numbers would do; TensorFlow tells exchanges apart by them.
constexpr int kGroupKey = 1;
constexpr int kInstanceKey = 1;

absl::Status CheckAlike(const std::vector<StepGraph*>& replicas) {
  const std::vector<Gradient>& first = replicas.front()->gradients();
  for (const StepGraph* replica : replicas) {
    const std::vector<Gradient>& other = replica->gradients();
    bool alike = other.size() == first.size();
    for (size_t i = 0; alike && i < first.size(); ++i) {
      alike = other[i].variable == first[i].variable &&
              other[i].rows.has_value() == first[i].rows.has_value();
    }
    if (!alike) {
      return absl::InternalError(
          "the replicas' steps have gradients of different variables");
    }
  }
  return absl::OkStatus();
}

// Gradient `index` of each replica.
std::vector<Gradient> OfEach(const std::vector<StepGraph*>& replicas,
                             size_t index) {
  std::vector<Gradient> gradients;
  gradients.reserve(replicas.size());
  for (const StepGraph* replica : replicas) {
    gradients.push_back(replica->gradients()[index]);
  }
  return gradients;
}

Gradient Sum(const Scope& scope, const std::vector<Gradient>& gradients) {
  std::vector<Output> values;
  std::vector<Output> rows;
  for (const Gradient& gradient : gradients) {
    values.push_back(gradient.value);
    if (gradient.rows.has_value()) rows.push_back(*gradient.rows);
  }
  Gradient sum;
  sum.variable = gradients.front().variable;
  if (rows.empty()) {
    sum.value = ops::AddN(scope, values);
  } else {
    sum.value = ops::Concat(scope, values, 0);
    sum.rows = ops::Concat(scope, rows, 0);
  }
  return sum;
}

// The shape of a variable, which its handle has as an attribute.
absl::StatusOr<TensorShape> ShapeOf(const Output& handle) {
  tensorflow::PartialTensorShape partial;
  TensorShape shape;
  const absl::Status found =
      tensorflow::GetNodeAttr(handle.node()->attrs(), "shape", &partial);
  if (found.ok() && partial.AsTensorShape(&shape)) return shape;
  return absl::InternalError(
      absl::StrCat("the shape of ", handle.node()->name(), " is not known"));
}

// A gradient as a vector of all of its variable's entries.
Output Flat(const Scope& scope, const Gradient& gradient,
            const TensorShape& shape) {
  Output dense = gradient.value;
  if (gradient.rows.has_value()) {
    dense = ops::UnsortedSegmentSum(
        scope, gradient.value, *gradient.rows,
        ops::Const(scope, static_cast<int64_t>(shape.dim_size(0))));
  }
  return ops::Reshape(scope, dense, {-1});
}

Output Pack(const Scope& scope, const std::vector<Output>& flat) {
  return flat.size() == 1 ? flat.front() : ops::Concat(scope, flat, 0).output;
}

// The sum of `flat` over all workers.
Output AllReduce(const Scope& scope, const Output& flat, int workers) {
  const Output group_size = ops::Const(scope, workers);
  const Output group_key = ops::Const(scope, kGroupKey);
  const Output instance_key = ops::Const(scope, kInstanceKey);
  if (!scope.ok()) return flat;
  auto builder =
      tensorflow::NodeBuilder(scope.GetUniqueNameForOp("CollectiveReduceV2"),
                              "CollectiveReduceV2")
          .Input(flat.node(), flat.index())
          .Input(group_size.node())
          .Input(group_key.node())
          .Input(instance_key.node())
          .Input(std::vector<tensorflow::NodeBuilder::NodeOut>{})
          .Attr("merge_op", "Add")
          .Attr("final_op", "Id")
          .Attr("communication_hint", "auto");
  scope.UpdateBuilder(&builder);
  tensorflow::Node* node = nullptr;
  scope.UpdateStatus(builder.Finalize(scope.graph(), &node));
  if (!scope.ok()) return flat;
  scope.UpdateStatus(scope.DoShapeInference(node));
  return Output(node, 0);
}

Output Numbers(const Scope& scope, const std::vector<int64_t>& numbers) {
  const auto size = static_cast<int64_t>(numbers.size());
  tensorflow::Tensor tensor(tensorflow::DT_INT64, TensorShape({size}));
  std::ranges::copy(numbers, tensor.flat<int64_t>().data());
  return ops::Const(scope, tensor);
}

// `flat` cut into pieces of the shapes.
std::vector<Output> Unpack(const Scope& scope, const Output& flat,
                           const std::vector<TensorShape>& shapes) {
  std::vector<int64_t> sizes;
  sizes.reserve(shapes.size());
  for (const TensorShape& shape : shapes) sizes.push_back(shape.num_elements());
  const ops::SplitV pieces(scope, flat, Numbers(scope, sizes), 0,
                           static_cast<int64_t>(sizes.size()));
  std::vector<Output> unpacked;
  for (size_t i = 0; i < shapes.size() && scope.ok(); ++i) {
    const auto dimensions = shapes[i].dim_sizes();
    unpacked.push_back(
        ops::Reshape(scope, pieces[static_cast<int>(i)],
                     Numbers(scope, {dimensions.begin(), dimensions.end()})));
  }
  return unpacked;
}

absl::Status Added(const Scope& scope) {
  if (scope.ok()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("the sum of the gradients cannot be added to the graph: ",
                   scope.status().message()));
}

}  // namespace

absl::StatusOr<std::vector<Gradient>> SumOverReplicas(
    const Scope& scope, const std::vector<StepGraph*>& replicas) {
  if (replicas.size() == 1) return replicas.front()->gradients();
  RK_RETURN_IF_ERROR(CheckAlike(replicas));
  const Scope named = scope.NewSubScope("replica_sum");
  std::vector<Gradient> sums;
  for (size_t i = 0; i < replicas.front()->gradients().size(); ++i) {
    sums.push_back(Sum(named, OfEach(replicas, i)));
  }
  RK_RETURN_IF_ERROR(Added(named));
  return sums;
}

absl::StatusOr<std::vector<Gradient>> SumOverWorkers(
    const Scope& scope, const StepGraph& replica,
    const std::vector<Gradient>& gradients, int workers, Output* loss) {
  const Scope named = scope.NewSubScope("worker_sum");
  std::vector<TensorShape> shapes;
  std::vector<Output> flat;
  for (const Gradient& gradient : gradients) {
    RK_ASSIGN_OR_RETURN(shapes.emplace_back(),
                        ShapeOf(replica.Handle(gradient.variable)));
    flat.push_back(Flat(named, gradient, shapes.back()));
  }
  shapes.emplace_back();
  flat.push_back(ops::Reshape(named, *loss, {-1}));
  const std::vector<Output> sums =
      Unpack(named, AllReduce(named, Pack(named, flat), workers), shapes);
  RK_RETURN_IF_ERROR(Added(named));
  std::vector<Gradient> summed;
  for (size_t i = 0; i < gradients.size(); ++i) {
    summed.push_back({gradients[i].variable, sums[i], std::nullopt});
  }
  *loss = sums.back();
  return summed;
}

Output MeanLoss(const Scope& scope, const std::vector<StepGraph*>& replicas) {
  std::vector<Output> losses;
  for (const StepGraph* replica : replicas) losses.push_back(replica->loss());
  const Output sum =
      losses.size() == 1 ? losses.front() : ops::AddN(scope, losses).sum;
  return ops::Div(scope, sum, static_cast<float>(replicas.front()->replicas()));
}

}  // namespace rekindle
