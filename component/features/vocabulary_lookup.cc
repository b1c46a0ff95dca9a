#include "component/features/vocabulary_lookup.h"

#include <cstdint>
#include <limits>
#include <map>

#include "component/features/hash_bucket.h"
#include "component/io/string_tensor.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/array_ops_internal.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/string_ops.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;

// So many words are compared one by one, with operations that TensorFlow Lite
// has too.
constexpr size_t kFewWords = 32;

// As many as there can be: no two words share one, in practice.
constexpr int64_t kBuckets = std::numeric_limits<int64_t>::max();

// The words in the order of their hashes.
struct SortedWords {
  Tensor hashes;                   // int64 [1, words]
  std::vector<std::string> words;  // without repetitions
  Tensor ids;                      // int32 [words]
};

SortedWords Sorted(const std::vector<std::string>& vocabulary) {
  std::map<int64_t, int32_t> sorted;  // hash -> first place
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    sorted.emplace(HashBucket(vocabulary[i], kBuckets),
                   static_cast<int32_t>(i));
  }
  const auto size = static_cast<int64_t>(sorted.size());
  SortedWords out{.hashes = Tensor(tensorflow::DT_INT64, {1, size}),
                  .words = {},
                  .ids = Tensor(tensorflow::DT_INT32, {size})};
  int64_t place = 0;
  for (const auto& [hash, id] : sorted) {
    out.hashes.flat<int64_t>()(place) = hash;
    out.ids.flat<int32_t>()(place++) = id;
    out.words.push_back(vocabulary[static_cast<size_t>(id)]);
  }
  return out;
}

Output CompareWithAll(const Scope& scope, const SortedWords& sorted,
                      const Output& values) {
  const Output words =
      ops::ExpandDims(scope, ops::Const(scope, StringTensor(sorted.words)), 0);
  const Output same =
      ops::Equal(scope, ops::ExpandDims(scope, values, 1), words);
  const Output ids = ops::ExpandDims(scope, ops::Const(scope, sorted.ids), 0);
  return ops::Max(scope, ops::SelectV2(scope, same, ids, -1), 1);
}

}  // namespace

Output LookUpVocabulary(const Scope& scope,
                        const std::vector<std::string>& vocabulary,
                        const Output& values) {
  const SortedWords sorted = Sorted(vocabulary);
  if (sorted.words.size() <= kFewWords) {
    return CompareWithAll(scope, sorted, values);
  }
  const Output hashes = ops::StringToHashBucketFast(scope, values, kBuckets);
  const Output found =
      ops::internal::LowerBound(scope, ops::Const(scope, sorted.hashes),
                                ops::Reshape(scope, hashes, {1, -1}));
  const auto last = static_cast<int32_t>(sorted.words.size()) - 1;
  const Output place = ops::Minimum(
      scope, ops::Reshape(scope, found, ops::Shape(scope, values)), last);
  const Output word = ops::GatherV2(
      scope, ops::Const(scope, StringTensor(sorted.words)), place, 0);
  const Output id =
      ops::GatherV2(scope, ops::Const(scope, sorted.ids), place, 0);
  return ops::SelectV2(scope, ops::Equal(scope, word, values), id, -1);
}

}  // namespace rekindle
