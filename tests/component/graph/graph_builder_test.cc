#include "rekindle/training/graph_builder.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/cc/ops/training_ops.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;
using ::testing::SizeIs;

Tensor Values(const tensorflow::TensorShape& shape,
              const std::vector<float>& values) {
  Tensor tensor(tensorflow::DT_FLOAT, shape);
  std::copy(values.begin(), values.end(), tensor.flat<float>().data());
  return tensor;
}

template <typename T>
std::vector<T> Flat(const Tensor& tensor) {
  const auto flat = tensor.flat<T>();
  return {flat.data(), flat.data() + flat.size()};
}

class GraphBuilderTest : public ::testing::Test {
 protected:
  // Adds a variable and what gives it its first value.
  void AddVariable(const std::string& name, const Tensor& value,
                   bool trainable = true) {
    graph_.AddVariable({name, value.shape(), trainable});
    inits_.emplace_back(ops::AssignVariableOp(scope_, graph_.Handle(name),
                                              ops::Const(scope_, value))
                            .operation.node()
                            ->name());
  }

  void Open() {
    tensorflow::GraphDef def;
    ASSERT_TRUE(scope_.ToGraphDef(&def).ok()) << scope_.status();
    session_.reset(tensorflow::NewSession({}));
    ASSERT_TRUE(session_->Create(def).ok());
    ASSERT_TRUE(session_->Run({}, {}, inits_, nullptr).ok());
  }

  void Step(const std::vector<tensorflow::Operation>& updates) {
    std::vector<std::string> names;
    for (const auto& update : updates) names.push_back(update.node()->name());
    const absl::Status run = session_->Run({}, {}, names, nullptr);
    ASSERT_TRUE(run.ok()) << run;
  }

  Tensor Fetch(const Output& output) {
    std::vector<Tensor> fetched;
    const absl::Status run = session_->Run({}, {output.name()}, {}, &fetched);
    EXPECT_TRUE(run.ok()) << run;
    return run.ok() ? fetched[0] : Tensor();
  }

  Output SumOfSquares(const Output& values) {
    const Output flat = ops::Reshape(scope_, values, {-1});
    return ops::Sum(scope_, ops::Square(scope_, flat), 0);
  }

  Scope scope_ = Scope::NewRootScope();
  GraphBuilder graph_{scope_, "replica_0/"};
  std::vector<std::string> inits_;
  std::unique_ptr<tensorflow::Session> session_;
};

TEST_F(GraphBuilderTest, TrainsALine) {
  AddVariable("slope", Values({1}, {0}));
  AddVariable("offset", Values({1}, {0}));
  const Output x = ops::Const(scope_, {-1.f, 0.f, 1.f, 2.f});
  const Output y = ops::Const(scope_, {-1.f, 1.f, 3.f, 5.f});
  const Output line = ops::Add(
      scope_, ops::Mul(scope_, graph_.Read("slope"), x), graph_.Read("offset"));
  std::vector<tensorflow::Operation> updates;
  for (const Gradient& gradient :
       graph_.Gradients(SumOfSquares(ops::Sub(scope_, line, y)))) {
    ASSERT_FALSE(gradient.rows.has_value());
    updates.push_back(ops::ResourceApplyGradientDescent(
        scope_, graph_.Handle(gradient.variable), 0.05f, gradient.value));
  }
  Open();
  for (int i = 0; i < 200; ++i) Step(updates);
  EXPECT_NEAR(Flat<float>(Fetch(graph_.Read("slope")))[0], 2, 1e-4);
  EXPECT_NEAR(Flat<float>(Fetch(graph_.Read("offset")))[0], 1, 1e-4);
}

TEST_F(GraphBuilderTest, TrainsTheGatheredRowsOfAnEmbedding) {
  AddVariable("table", Values({4, 2}, std::vector<float>(8, 9)));
  const Output wanted = ops::Const(scope_, {{1.f, 2.f}, {3.f, 4.f}});
  const Output table = graph_.Read("table");
  const Output rows = graph_.Gather("table", ops::Const(scope_, {3, 1}));
  const auto gradients =
      graph_.Gradients(SumOfSquares(ops::Sub(scope_, rows, wanted)));
  ASSERT_THAT(gradients, SizeIs(1));
  ASSERT_TRUE(gradients[0].rows.has_value());
  const ops::ResourceScatterSub update(
      scope_, graph_.Handle("table"), *gradients[0].rows,
      ops::Mul(scope_, gradients[0].value, 0.1f));
  Open();
  for (int i = 0; i < 100; ++i) Step({update.operation});
  EXPECT_THAT(Flat<float>(Fetch(table)),
              Pointwise(FloatNear(1e-4), {9., 9., 3., 4., 9., 9., 1., 2.}));
}

TEST_F(GraphBuilderTest, JoinsTheRowsOfSeveralGathersOfAnyShape) {
  AddVariable("table", Values({3, 2}, {1, 2, 3, 4, 5, 6}));
  const Output pairs =
      graph_.Gather("table", ops::Const(scope_, {{0, 2}, {2, 1}}));
  const Output one = graph_.Gather("table", ops::Const(scope_, {int64_t{1}}));
  const Output loss = ops::Add(scope_, SumOfSquares(pairs), SumOfSquares(one));
  const auto gradients = graph_.Gradients(loss);
  ASSERT_THAT(gradients, SizeIs(1));
  Open();
  EXPECT_THAT(Flat<int64_t>(Fetch(*gradients[0].rows)),
              ElementsAre(0, 2, 2, 1, 1));
  EXPECT_THAT(Flat<float>(Fetch(gradients[0].value)),
              ElementsAre(2, 4, 10, 12, 10, 12, 6, 8, 6, 8));
}

TEST_F(GraphBuilderTest, AddsRowsToTheGradientOfAVariableThatIsAlsoRead) {
  AddVariable("table", Values({3, 2}, {1, 2, 3, 4, 5, 6}));
  const Output rows =
      graph_.Gather("table", ops::Const(scope_, {{2, 2}, {0, 2}}));
  const Output whole = graph_.Read("table");
  EXPECT_EQ(graph_.Read("table").node(), whole.node());
  const auto gradients = graph_.Gradients(
      ops::Add(scope_, SumOfSquares(rows), SumOfSquares(whole)));
  ASSERT_THAT(gradients, SizeIs(1));
  EXPECT_FALSE(gradients[0].rows.has_value());
  Open();
  EXPECT_THAT(Flat<float>(Fetch(gradients[0].value)),
              ElementsAre(4, 8, 6, 8, 40, 48));
}

TEST_F(GraphBuilderTest, LeavesOutWhatTheLossDoesNotDependOn) {
  AddVariable("unused", Values({1}, {1}));
  AddVariable("elsewhere", Values({1}, {1}));
  AddVariable("flat", Values({2}, {1, 2}));
  AddVariable("fixed", Values({1}, {1}), /*trainable=*/false);
  AddVariable("used", Values({1}, {3}));
  graph_.Read("elsewhere");
  const Output flat =
      ops::Cast(scope_, ops::ArgMax(scope_, graph_.Read("flat"), 0),
                tensorflow::DT_FLOAT);
  const Output product =
      ops::Mul(scope_, graph_.Read("used"), graph_.Read("fixed"));
  const auto gradients =
      graph_.Gradients(SumOfSquares(ops::Mul(scope_, product, flat)));
  ASSERT_THAT(gradients, SizeIs(1));
  EXPECT_EQ(gradients[0].variable, "used");
}

TEST_F(GraphBuilderTest, NamesVariablesOfTheSessionByPrefixAndName) {
  AddVariable("culmen length (mm)", Values({1}, {3}));
  const Output handle = graph_.Handle("culmen length (mm)");
  std::string shared;
  ASSERT_TRUE(
      tensorflow::GetNodeAttr(handle.node()->attrs(), "shared_name", &shared)
          .ok());
  EXPECT_EQ(shared, "replica_0/culmen length (mm)");
  const Output read = graph_.Read("culmen length (mm)");
  Open();
  EXPECT_THAT(Flat<float>(Fetch(read)), ElementsAre(3));
}

TEST_F(GraphBuilderTest, SaysWhichVariableIsUnknown) {
  AddVariable("kernel", Values({1}, {3}));
  graph_.Read("kernal");
  EXPECT_THAT(std::string(scope_.status().message()),
              HasSubstr("'kernal', which was not added to it; did you mean "
                        "'kernel'?"));
  EXPECT_THAT(graph_.Gradients(Output()), IsEmpty());
}

TEST_F(GraphBuilderTest, RefusesTwoVariablesOfOneName) {
  AddVariable("kernel", Values({1}, {3}));
  graph_.AddVariable({"kernel", {1}, true});
  EXPECT_THAT(std::string(scope_.status().message()),
              HasSubstr("'kernel' was added to the graph twice"));
}

}  // namespace
}  // namespace rekindle
