#include "tests/bench/training_data.h"

#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/records/tfrecord_writer.h"
#include "tensorflow/core/example/example.pb.h"

namespace rekindle {
namespace {

using ::tensorflow::Example;
using Random = std::mt19937_64;

constexpr int kWideNumbers = 13;
constexpr int kWideWords = 26;
constexpr int64_t kWideBuckets = 10'000;

NumericFeature Number(std::string name, StoredType stored) {
  return {.name = std::move(name), .stored = stored, .width = 1};
}

CategoricalFeature Word(std::string name) {
  CategoricalFeature feature;
  feature.name = std::move(name);
  return feature;
}

FeatureSpec PenguinFeatures() {
  FeatureSpec spec;
  for (const char* name :
       {"culmen_length_mm", "culmen_depth_mm", "flipper_length_mm", "ratio"}) {
    spec.numeric.push_back(Number(name, StoredType::kFloat));
  }
  spec.numeric.push_back(Number("body_mass_g", StoredType::kInt64));
  spec.categorical = {Word("island"), Word("sex")};
  spec.categorical[0].vocabulary = {"Biscoe", "Dream", "Torgersen"};
  spec.categorical[1].vocabulary = {"FEMALE", "MALE"};
  spec.label = LabelFeature();
  spec.label->name = "species";
  spec.label->classes = {"Adelie", "Chinstrap", "Gentoo"};
  return spec;
}

FeatureSpec WideFeatures() {
  FeatureSpec spec;
  for (int i = 0; i < kWideNumbers; ++i) {
    spec.numeric.push_back(
        Number(absl::StrCat("number_", i), StoredType::kFloat));
  }
  for (int i = 0; i < kWideWords; ++i) {
    spec.categorical.push_back(Word(absl::StrCat("word_", i)));
    spec.categorical.back().hash_buckets = kWideBuckets;
  }
  spec.label = LabelFeature();
  spec.label->name = "label";
  spec.label->stored = StoredType::kInt64;
  spec.label->classes = {"0", "1"};
  return spec;
}

// A word of a feature: a known one, or one of a few thousand.
std::string RandomWord(const std::vector<std::string>& known, Random* random) {
  if (!known.empty()) return known[(*random)() % known.size()];
  const uint64_t number = (*random)() % 5000;
  return absl::StrCat(absl::Hex(number * number, absl::kZeroPad8));
}

Example RandomExample(const FeatureSpec& spec, Random* random) {
  Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  std::normal_distribution<float> number;
  for (const NumericFeature& feature : spec.numeric) {
    auto& out = features[feature.name];
    if (feature.stored == StoredType::kInt64) {
      out.mutable_int64_list()->add_value(3000 + (*random)() % 3000);
    } else {
      out.mutable_float_list()->add_value(number(*random));
    }
  }
  for (const CategoricalFeature& feature : spec.categorical) {
    features[feature.name].mutable_bytes_list()->add_value(
        RandomWord(feature.vocabulary, random));
  }
  auto& label = features[spec.label->name];
  if (spec.label->stored == StoredType::kInt64) {
    label.mutable_int64_list()->add_value((*random)() % 2);
  } else {
    label.mutable_bytes_list()->add_value(
        RandomWord(spec.label->classes, random));
  }
  return example;
}

absl::Status WriteFile(const FeatureSpec& spec, int64_t rows, Random* random,
                       const std::string& path) {
  RK_ASSIGN_OR_RETURN(const auto writer,
                      OpenTfRecordWriter(path, TfRecordCompression::kGzip));
  for (; rows > 0; --rows) {
    RK_RETURN_IF_ERROR(
        writer->Write(RandomExample(spec, random).SerializeAsString()));
  }
  return writer->Close();
}

}  // namespace

absl::StatusOr<FeatureSpec> BenchFeatures(const std::string& kind) {
  if (kind == "penguin") return PenguinFeatures();
  if (kind == "wide") return WideFeatures();
  return absl::NotFoundError(absl::StrCat("there is no data set '", kind, "'"));
}

absl::Status WriteBenchData(const std::string& kind, int64_t rows, int files,
                            const std::string& folder) {
  RK_ASSIGN_OR_RETURN(const FeatureSpec spec, BenchFeatures(kind));
  Random random(1);
  for (int file = 0; file < files; ++file) {
    const int64_t share = rows * (file + 1) / files - rows * file / files;
    RK_RETURN_IF_ERROR(WriteFile(spec, share, &random,
                                 absl::StrCat(folder, "/data-", file, ".gz")));
  }
  return absl::OkStatus();
}

}  // namespace rekindle
