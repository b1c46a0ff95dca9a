// What Strategy::Reduce adds to a graph, run and compared with plain sums.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/step_graph.h"
#include "rekindle/training/strategy.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.pb.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {
namespace {

using ::tensorflow::Output;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;
using ::testing::HasSubstr;
using ::testing::Pointwise;

std::unique_ptr<Strategy> Mirrored(int devices) {
  RuntimeConfig runtime;
  runtime.num_virtual_cpus = devices;
  absl::StatusOr<std::unique_ptr<Strategy>> made = MakeStrategy(runtime, "");
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

Tensor RandomFloats(const TensorShape& shape, std::mt19937& random) {
  Tensor tensor(tensorflow::DT_FLOAT, shape);
  std::uniform_real_distribution<float> values(-1, 1);
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    tensor.flat<float>()(i) = values(random);
  }
  return tensor;
}

Tensor RandomRows(int64_t count, int64_t rows, std::mt19937& random) {
  Tensor tensor(tensorflow::DT_INT64, TensorShape({count}));
  std::uniform_int_distribution<int64_t> values(0, rows - 1);
  for (int64_t i = 0; i < count; ++i) {
    tensor.flat<int64_t>()(i) = values(random);
  }
  return tensor;
}

// A step of some replicas, whose gradients are given numbers; and their sums,
// added up here.
class Step {
 public:
  Step(const Strategy& strategy, std::mt19937& random)
      : root_(Scope::NewRootScope()) {
    const int variables = std::uniform_int_distribution(1, 5)(random);
    for (int i = 0; i < variables; ++i) {
      std::uniform_int_distribution<int64_t> size(1, 7);
      shapes_.push_back({size(random), size(random)});
      is_table_.push_back(std::bernoulli_distribution(0.4)(random));
      sums_.emplace_back(static_cast<size_t>(shapes_.back().num_elements()),
                         0.0F);
    }
    for (const std::string& device : strategy.devices()) {
      AddReplica(device, strategy.replicas(), random);
    }
  }

  std::vector<StepGraph*> replicas() const {
    std::vector<StepGraph*> pointers;
    for (const auto& replica : replicas_) pointers.push_back(replica.get());
    return pointers;
  }
  const std::vector<std::vector<float>>& sums() const { return sums_; }
  const Scope& root() const { return root_; }

  // A gradient that was computed, as a whole variable.
  std::vector<float> Whole(size_t variable, const Tensor& value,
                           const Tensor* rows) const {
    std::vector<float> whole(sums_[variable].size(), 0.0F);
    AddTo(value, rows, &whole);
    return whole;
  }

 private:
  void AddReplica(const std::string& device, int replicas,
                  std::mt19937& random) {
    const std::string prefix = absl::StrCat("replica", replicas_.size(), "/");
    replicas_.push_back(std::make_unique<StepGraph>(root_.WithDevice(device),
                                                    prefix, replicas));
    StepGraph& graph = *replicas_.back();
    std::vector<Gradient> gradients;
    for (size_t i = 0; i < shapes_.size(); ++i) {
      graph.AddVariable({absl::StrCat("v", i), shapes_[i]});
      gradients.push_back(MakeGradient(graph.scope(), i, random));
    }
    graph.ApplyGradients(gradients);
  }

  Gradient MakeGradient(const Scope& scope, size_t i, std::mt19937& random) {
    Gradient gradient;
    gradient.variable = absl::StrCat("v", i);
    TensorShape shape = shapes_[i];
    Tensor rows;
    if (is_table_[i]) {
      const int64_t count = std::uniform_int_distribution(1, 9)(random);
      rows = RandomRows(count, shape.dim_size(0), random);
      shape.set_dim(0, count);
      gradient.rows = tensorflow::ops::Const(scope, rows);
    }
    const Tensor value = RandomFloats(shape, random);
    gradient.value = tensorflow::ops::Const(scope, value);
    AddTo(value, is_table_[i] ? &rows : nullptr, &sums_[i]);
    return gradient;
  }

  static void AddTo(const Tensor& value, const Tensor* rows,
                    std::vector<float>* whole) {
    const int64_t width = value.dim_size(1);
    for (int64_t i = 0; i < value.NumElements(); ++i) {
      const int64_t row =
          rows == nullptr ? i / width : rows->flat<int64_t>()(i / width);
      (*whole)[static_cast<size_t>(row * width + i % width)] +=
          value.flat<float>()(i);
    }
  }

  Scope root_;
  std::vector<TensorShape> shapes_;
  std::vector<bool> is_table_;
  std::vector<std::vector<float>> sums_;
  std::vector<std::unique_ptr<StepGraph>> replicas_;
};

class ReduceTest : public ::testing::TestWithParam<int> {
 protected:
  // Runs the graph for one output.
  static Tensor Fetch(tensorflow::Session& session, const Output& output) {
    std::vector<Tensor> fetched;
    const absl::Status run = session.Run({}, {output.name()}, {}, &fetched);
    EXPECT_TRUE(run.ok()) << run;
    return fetched.at(0);
  }
};

TEST_P(ReduceTest, EachReplicaGetsTheSumOfAll) {
  const std::unique_ptr<Strategy> strategy = Mirrored(GetParam());
  for (uint32_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Step step(*strategy, random);
    const auto reduced = strategy->Reduce(step.replicas());
    ASSERT_TRUE(reduced.ok()) << reduced.status();
    ASSERT_EQ(reduced->size(), static_cast<size_t>(GetParam()));
    tensorflow::GraphDef graph;
    ASSERT_TRUE(step.root().ToGraphDef(&graph).ok());
    const auto session = strategy->OpenSession(1);
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE((*session)->Create(graph).ok());
    for (const std::vector<Gradient>& gradients : *reduced) {
      ASSERT_EQ(gradients.size(), step.sums().size());
      for (size_t i = 0; i < gradients.size(); ++i) {
        EXPECT_EQ(gradients[i].variable, absl::StrCat("v", i));
        const Tensor value = Fetch(**session, gradients[i].value);
        const Tensor rows =
            gradients[i].rows ? Fetch(**session, *gradients[i].rows) : Tensor();
        EXPECT_THAT(step.Whole(i, value, gradients[i].rows ? &rows : nullptr),
                    Pointwise(::testing::FloatNear(1e-5F), step.sums()[i]));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ReduceTest, ::testing::Values(1, 2, 4));

TEST(ReduceOfOneTest, AddsNothingToTheGraph) {
  const std::unique_ptr<Strategy> strategy = Mirrored(1);
  std::mt19937 random(1);
  const Step step(*strategy, random);
  const int before = step.root().graph()->num_nodes();
  ASSERT_TRUE(strategy->Reduce(step.replicas()).ok());
  EXPECT_EQ(step.root().graph()->num_nodes(), before);
}

TEST(ReduceOfUnlikeTest, IsAnError) {
  const std::unique_ptr<Strategy> strategy = Mirrored(2);
  std::mt19937 random(1);
  const Step step(*strategy, random);
  step.replicas()[1]->ApplyGradients({});
  const auto reduced = strategy->Reduce(step.replicas());
  EXPECT_EQ(reduced.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(reduced.status().message(), HasSubstr("different variables"));
}

}  // namespace
}  // namespace rekindle
