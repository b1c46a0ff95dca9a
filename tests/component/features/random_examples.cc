#include "tests/component/features/random_examples.h"

#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {
namespace {

using ::tensorflow::Example;
using ::tensorflow::Feature;
using Random = std::mt19937_64;

bool OneIn(uint64_t odds, Random* random) { return (*random)() % odds == 0; }

std::string RandomWord(Random* random) {
  std::string word;
  for (uint64_t left = (*random)() % 90; left > 0; --left) {
    word.push_back(static_cast<char>((*random)()));
  }
  return word;
}

int64_t RandomInteger(Random* random) {
  const auto bits = static_cast<int64_t>((*random)());
  return OneIn(4, random) ? bits : bits >> 58;
}

float RandomFloat(Random* random) {
  return static_cast<float>(static_cast<int64_t>((*random)() % 2001) - 1000) /
         250.0f;
}

CategoricalFeature Named(std::string name, StoredType stored) {
  CategoricalFeature feature;
  feature.name = std::move(name);
  feature.stored = stored;
  return feature;
}

// A vocabulary that is searched, not compared word by word.
std::vector<std::string> ManyWords() {
  std::vector<std::string> words;
  for (int i = 0; i < 50; ++i) words.push_back(absl::StrCat("w", i * i));
  return words;
}

// The ways to make ids.
std::vector<CategoricalFeature> CategoricalKinds(const std::string& prefix) {
  std::vector<CategoricalFeature> kinds = {
      Named(prefix + "words", StoredType::kBytes),
      Named(prefix + "range", StoredType::kInt64),
      Named(prefix + "hashed words", StoredType::kBytes),
      Named(prefix + "hashed integers", StoredType::kInt64),
      Named(prefix + "float buckets", StoredType::kFloat),
      Named(prefix + "integer buckets", StoredType::kInt64),
      Named(prefix + "many words", StoredType::kBytes)};
  kinds[0].vocabulary = {"biscoe", "", "dream", "biscoe", "torgersen"};
  kinds[1].first_value = -3;
  kinds[1].range_size = 5;
  kinds[2].hash_buckets = 1000;
  kinds[3].hash_buckets = 7;
  kinds[4].boundaries = {-2.0f, -0.5f, 0.0f, 0.004f, 3.0f};
  kinds[5].boundaries = {0.0f, 10.5f};
  kinds[6].vocabulary = ManyWords();
  return kinds;
}

std::string WordOf(const std::vector<std::string>& words, bool known,
                   Random* random) {
  if (words.empty() || (!known && OneIn(5, random))) return RandomWord(random);
  return words[(*random)() % words.size()];
}

void AddValue(const CategoricalFeature& feature, bool complete, Random* random,
              Feature* out) {
  switch (feature.stored) {
    case StoredType::kBytes:
      out->mutable_bytes_list()->add_value(
          WordOf(feature.vocabulary, complete, random));
      return;
    case StoredType::kInt64:
      out->mutable_int64_list()->add_value(RandomInteger(random));
      return;
    case StoredType::kFloat:
      out->mutable_float_list()->add_value(
          !complete && OneIn(7, random)
              ? std::numeric_limits<float>::quiet_NaN()
              : RandomFloat(random));
      return;
  }
}

void AddNumbers(const NumericFeature& feature, bool complete, Random* random,
                Feature* out) {
  for (int64_t i = 0; i < feature.width; ++i) {
    if (feature.stored == StoredType::kInt64) {
      out->mutable_int64_list()->add_value(RandomInteger(random));
      continue;
    }
    out->mutable_float_list()->add_value(
        !complete && OneIn(7, random) ? std::numeric_limits<float>::quiet_NaN()
                                      : RandomFloat(random));
  }
}

// A feature without values, in one of the three ways.
void AddNothing(const std::string& name, StoredType stored, Random* random,
                Example* example) {
  auto& features = *example->mutable_features()->mutable_feature();
  if (OneIn(3, random)) return;
  Feature& feature = features[name];
  if (OneIn(2, random)) return;
  switch (stored) {
    case StoredType::kBytes:
      feature.mutable_bytes_list();
      return;
    case StoredType::kInt64:
      feature.mutable_int64_list();
      return;
    case StoredType::kFloat:
      feature.mutable_float_list();
      return;
  }
}

void AddLabel(const LabelFeature& label, Random* random, Feature* out) {
  if (label.stored == StoredType::kFloat) {
    out->mutable_float_list()->add_value(RandomFloat(random));
    return;
  }
  const uint64_t id = (*random)() % label.classes.size();
  if (label.stored == StoredType::kBytes) {
    out->mutable_bytes_list()->add_value(label.classes[id]);
  } else {
    out->mutable_int64_list()->add_value(label.first_value +
                                         static_cast<int64_t>(id));
  }
}

}  // namespace

FeatureSpec EveryKindOfFeature(LabelKind label) {
  FeatureSpec spec;
  spec.numeric = {{.name = "float", .stored = StoredType::kFloat, .width = 1},
                  {.name = "integer", .stored = StoredType::kInt64, .width = 1},
                  {.name = "three", .stored = StoredType::kFloat, .width = 3}};
  spec.categorical = CategoricalKinds("one ");
  spec.multivalent = CategoricalKinds("many ");
  if (label == LabelKind::kNone) return spec;
  spec.label = LabelFeature();
  spec.label->name = "label";
  switch (label) {
    case LabelKind::kWord:
      spec.label->classes = {"adelie", "chinstrap", "gentoo"};
      break;
    case LabelKind::kInteger:
      spec.label->stored = StoredType::kInt64;
      spec.label->classes = {"-1", "0", "1"};
      spec.label->first_value = -1;
      break;
    default:
      spec.label->stored = StoredType::kFloat;
      break;
  }
  return spec;
}

Example RandomExample(const FeatureSpec& spec, Gaps gaps, Random* random) {
  Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  const bool complete = gaps == Gaps::kNone;
  const auto missing = [&](const auto& feature) {
    if (complete || !OneIn(4, random)) return false;
    AddNothing(feature.name, feature.stored, random, &example);
    return true;
  };
  for (const NumericFeature& feature : spec.numeric) {
    if (missing(feature)) continue;
    AddNumbers(feature, complete, random, &features[feature.name]);
  }
  for (const CategoricalFeature& feature : spec.categorical) {
    if (missing(feature)) continue;
    AddValue(feature, complete, random, &features[feature.name]);
  }
  for (const CategoricalFeature& feature : spec.multivalent) {
    if (missing(feature)) continue;
    for (uint64_t left = (*random)() % 5; left > 0; --left) {
      AddValue(feature, complete, random, &features[feature.name]);
    }
  }
  if (spec.label.has_value()) {
    AddLabel(*spec.label, random, &features[spec.label->name]);
  }
  if (OneIn(2, random)) {
    features["not used"].mutable_bytes_list()->add_value(RandomWord(random));
  }
  return example;
}

std::vector<std::string> RandomSerialized(const FeatureSpec& spec, Gaps gaps,
                                          int count, Random* random) {
  std::vector<std::string> serialized;
  for (int i = 0; i < count; ++i) {
    serialized.push_back(RandomExample(spec, gaps, random).SerializeAsString());
  }
  return serialized;
}

bool SameTensor(const tensorflow::Tensor& a, const tensorflow::Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() != tensorflow::DT_STRING) {
    return a.tensor_data() == b.tensor_data();
  }
  const auto left = a.flat<tensorflow::tstring>();
  const auto right = b.flat<tensorflow::tstring>();
  for (int64_t i = 0; i < left.size(); ++i) {
    if (left(i) != right(i)) return false;
  }
  return true;
}

}  // namespace rekindle
