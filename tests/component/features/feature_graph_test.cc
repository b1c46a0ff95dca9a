#include "component/features/feature_graph.h"

#include <memory>

#include "component/features/row_packer.h"
#include "component/input/batch_gatherer.h"
#include "component/io/string_tensor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/core/public/session.h"
#include "tests/component/features/random_examples.h"

namespace rekindle {
namespace {

using ::tensorflow::Output;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;
using Feeds = std::vector<std::pair<std::string, Tensor>>;

// What the training reader makes of the examples.
NamedTensors ReadByHost(const FeatureSpec& spec,
                        const std::vector<std::string>& serialized) {
  RowPacker packer(spec);
  PackedRows packed;
  std::vector<RowRef> rows;
  for (const std::string& record : serialized) {
    const absl::Status status = packer.Append(record, &packed);
    EXPECT_TRUE(status.ok()) << status;
    rows.push_back({&packed, rows.size()});
  }
  Batch batch;
  GatherRows(spec, rows, &batch);
  NamedTensors named;
  const std::vector<TensorSpec> tensors = BatchTensors(spec);
  for (size_t i = 0; i < tensors.size(); ++i) {
    named[tensors[i].name] = batch.tensors[i];
  }
  return named;
}

NamedTensors RunGraph(const Scope& scope, const NamedOutputs& outputs,
                      const Feeds& feeds) {
  tensorflow::GraphDef graph;
  EXPECT_TRUE(scope.ToGraphDef(&graph).ok()) << scope.status();
  const std::unique_ptr<tensorflow::Session> session(
      tensorflow::NewSession({}));
  EXPECT_TRUE(session->Create(graph).ok());
  std::vector<std::string> names;
  for (const auto& [name, output] : outputs) names.push_back(output.name());
  std::vector<Tensor> tensors;
  const absl::Status status = session->Run(feeds, names, {}, &tensors);
  EXPECT_TRUE(status.ok()) << status;
  NamedTensors named;
  size_t next = 0;
  for (const auto& [name, output] : outputs) {
    if (next < tensors.size()) named[name] = tensors[next++];
  }
  return named;
}

void ExpectSame(const NamedTensors& graph, const NamedTensors& host) {
  ASSERT_EQ(graph.size(), host.size());
  for (const auto& [name, tensor] : host) {
    ASSERT_TRUE(graph.contains(name)) << name;
    EXPECT_TRUE(SameTensor(graph.at(name), tensor))
        << name << "\nin the graph: " << graph.at(name).DebugString(200)
        << "\non the host:  " << tensor.DebugString(200);
  }
}

class FeatureGraphTest : public ::testing::TestWithParam<LabelKind> {
 protected:
  const FeatureSpec spec_ = EveryKindOfFeature(GetParam());
  const Scope scope_ = Scope::NewRootScope();
  std::mt19937_64 random_{7};
};

TEST_P(FeatureGraphTest, ParsesExamplesAsTheReaderDoes) {
  const Output examples =
      tensorflow::ops::Placeholder(scope_, tensorflow::DT_STRING);
  const NamedOutputs batch = EncodeExamples(scope_, spec_, examples);
  for (const int count : {1, 7, 200, 0}) {
    const auto serialized =
        RandomSerialized(spec_, Gaps::kAny, count, &random_);
    ExpectSame(
        RunGraph(scope_, batch, {{examples.name(), StringTensor(serialized)}}),
        ReadByHost(spec_, serialized));
  }
}

// The features of `spec`, all as if they had one value: parsed, they are
// sparse.
FeatureSpec AllSparse(FeatureSpec spec) {
  spec.categorical.insert(spec.categorical.end(), spec.multivalent.begin(),
                          spec.multivalent.end());
  spec.multivalent.clear();
  return spec;
}

TEST_P(FeatureGraphTest, EncodesSparseTensorsOfSeveralValues) {
  const Output examples =
      tensorflow::ops::Placeholder(scope_, tensorflow::DT_STRING);
  const RawFeatures raw = ParseExamples(scope_, AllSparse(spec_), examples);
  const Output count = tensorflow::ops::Size(
      scope_, examples, tensorflow::ops::Size::OutType(tensorflow::DT_INT64));
  const NamedOutputs batch = EncodeFeatures(scope_, spec_, raw, count);
  const auto serialized = RandomSerialized(spec_, Gaps::kAny, 100, &random_);
  ExpectSame(
      RunGraph(scope_, batch, {{examples.name(), StringTensor(serialized)}}),
      ReadByHost(spec_, serialized));
}

// The values of a feature of all examples, as they are stored, and where those
// of each example end.
std::pair<Tensor, Tensor> RawValues(const std::string& name,
                                    const std::vector<std::string>& serialized,
                                    StoredType stored) {
  std::vector<std::string> words;
  std::vector<int64_t> integers;
  std::vector<float> floats;
  std::vector<int64_t> splits = {0};
  for (const std::string& record : serialized) {
    tensorflow::Example example;
    EXPECT_TRUE(example.ParseFromString(record));
    const tensorflow::Feature& feature =
        (*example.mutable_features()->mutable_feature())[name];
    for (const auto& word : feature.bytes_list().value()) words.push_back(word);
    for (const auto value : feature.int64_list().value()) {
      integers.push_back(value);
    }
    for (const auto value : feature.float_list().value()) {
      floats.push_back(value);
    }
    splits.push_back(
        static_cast<int64_t>(words.size() + integers.size() + floats.size()));
  }
  const auto vector = [](const auto& values, tensorflow::DataType type) {
    Tensor tensor(type, {static_cast<int64_t>(values.size())});
    std::ranges::copy(
        values,
        tensor.flat<typename std::decay_t<decltype(values)>::value_type>()
            .data());
    return tensor;
  };
  const Tensor ends = vector(splits, tensorflow::DT_INT64);
  if (stored == StoredType::kBytes) return {StringTensor(words), ends};
  if (stored == StoredType::kInt64) {
    return {vector(integers, tensorflow::DT_INT64), ends};
  }
  return {vector(floats, tensorflow::DT_FLOAT), ends};
}

TEST_P(FeatureGraphTest, EncodesRawTensorsAsTheReaderDoesExamples) {
  const auto serialized = RandomSerialized(spec_, Gaps::kNone, 50, &random_);
  const RawInputs inputs = AddRawInputs(scope_, spec_);
  Feeds feeds;
  const auto feed = [&](const std::string& name, StoredType stored,
                        int64_t width) {
    auto [values, splits] = RawValues(name, serialized, stored);
    if (width > 1) {
      Tensor rows(values.dtype());
      ASSERT_TRUE(rows.CopyFrom(values, {50, width}));
      values = rows;
    }
    feeds.emplace_back(inputs.placeholders.at(name).name(), values);
    const auto ragged = inputs.placeholders.find(RowSplitsTensor(name));
    if (ragged == inputs.placeholders.end()) return;
    feeds.emplace_back(ragged->second.name(), splits);
  };
  for (const auto& feature : spec_.numeric) {
    feed(feature.name, feature.stored, feature.width);
  }
  for (const auto& feature : spec_.categorical) {
    feed(feature.name, feature.stored, 1);
  }
  for (const auto& feature : spec_.multivalent) {
    feed(feature.name, feature.stored, 1);
  }
  if (spec_.label.has_value()) feed("label", spec_.label->stored, 1);
  ExpectSame(RunGraph(scope_, inputs.batch, feeds),
             ReadByHost(spec_, serialized));
}

INSTANTIATE_TEST_SUITE_P(Labels, FeatureGraphTest,
                         ::testing::Values(LabelKind::kNone, LabelKind::kWord,
                                           LabelKind::kInteger,
                                           LabelKind::kNumber));

}  // namespace
}  // namespace rekindle
