#ifndef REKINDLE_COMPONENT_FEATURES_HASH_BUCKET_H_
#define REKINDLE_COMPONENT_FEATURES_HASH_BUCKET_H_

#include <cstdint>
#include <string_view>

#include "external/farmhash_archive/src/farmhash.h"

namespace rekindle {

// What TensorFlow's StringToHashBucketFast gives: the same here and in a graph.
inline int64_t HashBucket(std::string_view text, int64_t buckets) {
  return static_cast<int64_t>(::util::Fingerprint64(text.data(), text.size()) %
                              static_cast<uint64_t>(buckets));
}

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_FEATURES_HASH_BUCKET_H_
