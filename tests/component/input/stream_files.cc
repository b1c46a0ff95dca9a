#include "tests/component/input/stream_files.h"

#include <cstdlib>
#include <iostream>
#include <random>

#include "absl/strings/str_cat.h"
#include "component/input/example_stream.h"
#include "component/input/input_plan.h"
#include "gtest/gtest.h"
#include "tests/component/features/random_examples.h"

namespace rekindle {
namespace {

// Test data that cannot be written is no test result.
void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << status << "\n";
  std::abort();
}

}  // namespace

StreamFiles::StreamFiles(const std::vector<int>& sizes)
    : features_(EveryKindOfFeature(LabelKind::kNumber)) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    Write(sizes[i],
          i % 2 == 0 ? TfRecordCompression::kGzip : TfRecordCompression::kNone,
          path(i));
  }
}

std::string StreamFiles::path(size_t file) const {
  return folder_ / absl::StrCat("data-", file / 10, file % 10);
}

void StreamFiles::Write(int examples, TfRecordCompression compression,
                        const std::string& path) {
  auto writer = OpenTfRecordWriter(path, compression);
  Require(writer.status());
  for (int i = 0; i < examples; ++i) {
    std::mt19937_64 random(records_.size());
    tensorflow::Example example = RandomExample(features_, Gaps::kAny, &random);
    auto& label = (*example.mutable_features()->mutable_feature())["label"];
    label.mutable_float_list()->set_value(0,
                                          static_cast<float>(records_.size()));
    records_.push_back(example.SerializeAsString());
    Require((*writer)->Write(records_.back()));
  }
  Require((*writer)->Close());
}

DataConfig StreamFiles::Config(bool is_training) const {
  DataConfig data;
  data.input_path = {folder_ / "data-*"};
  data.is_training = is_training;
  data.global_batch_size = 4;
  data.drop_remainder = false;
  return data;
}

std::unique_ptr<Dataset> OpenStream(const StreamFiles& files,
                                    const DataConfig& data,
                                    const StreamOptions& options) {
  std::optional<FeatureSpec> features = files.features();
  if (options.serialized) features.reset();
  auto plan = MakeInputPlan(data, features, options.context, options.seed);
  Require(plan.status());
  if (!options.may_cache) plan->cache_budget = 0;
  plan->threads = 3;
  return StreamOf(*std::move(plan));
}

std::optional<Batch> NextBatch(Dataset& dataset) {
  Batch batch;
  const absl::StatusOr<bool> more = dataset.Next(&batch);
  EXPECT_TRUE(more.ok()) << more.status();
  if (!more.ok() || !*more) return std::nullopt;
  return batch;
}

std::vector<int> NumbersOf(const Batch& batch) {
  std::vector<int> numbers;
  const auto labels = batch.tensors.back().flat<float>();
  EXPECT_EQ(labels.size(), batch.size);
  for (int64_t i = 0; i < labels.size(); ++i) {
    numbers.push_back(static_cast<int>(labels(i)));
  }
  return numbers;
}

std::vector<int> ReadNumbers(Dataset& dataset, int batches) {
  std::vector<int> all;
  for (; batches != 0; --batches) {
    const std::optional<Batch> batch = NextBatch(dataset);
    if (!batch.has_value()) break;
    const std::vector<int> numbers = NumbersOf(*batch);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

bool SameBatch(const Batch& a, const Batch& b) {
  if (a.size != b.size || a.tensors.size() != b.tensors.size()) return false;
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    if (!SameTensor(a.tensors[i], b.tensors[i])) return false;
  }
  return true;
}

}  // namespace rekindle
