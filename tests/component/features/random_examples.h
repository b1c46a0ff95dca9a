#ifndef REKINDLE_TESTS_COMPONENT_FEATURES_RANDOM_EXAMPLES_H_
#define REKINDLE_TESTS_COMPONENT_FEATURES_RANDOM_EXAMPLES_H_

#include <random>
#include <string>
#include <vector>

#include "component/features/feature_spec.h"
#include "tensorflow/core/example/example.pb.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

enum class LabelKind { kNone, kWord, kInteger, kNumber };

// Features of every kind that there is, with a label of the given kind.
FeatureSpec EveryKindOfFeature(LabelKind label);

// What random examples may lack.
enum class Gaps {
  kNone,  // every feature has its values
  kAny,   // absent, without a list, with an empty one, NaN, unknown values
};

// An example that has the features of `spec`, and some more, in any order.
tensorflow::Example RandomExample(const FeatureSpec& spec, Gaps gaps,
                                  std::mt19937_64* random);

std::vector<std::string> RandomSerialized(const FeatureSpec& spec, Gaps gaps,
                                          int count, std::mt19937_64* random);

// Of the same type and shape, with the same bits.
bool SameTensor(const tensorflow::Tensor& a, const tensorflow::Tensor& b);

}  // namespace rekindle

#endif  // REKINDLE_TESTS_COMPONENT_FEATURES_RANDOM_EXAMPLES_H_
