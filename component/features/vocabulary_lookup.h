#ifndef REKINDLE_COMPONENT_FEATURES_VOCABULARY_LOOKUP_H_
#define REKINDLE_COMPONENT_FEATURES_VOCABULARY_LOOKUP_H_

#include <string>
#include <vector>

#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"

namespace rekindle {

// Adds nodes that give the place of each of `values`, strings [m], in
// `vocabulary`: int32 [m], -1 where it is not there. They are constants, and
// comparisons with a few words or a binary search among many, so that a
// SavedModel has no table to initialize.
tensorflow::Output LookUpVocabulary(const tensorflow::Scope& scope,
                                    const std::vector<std::string>& vocabulary,
                                    const tensorflow::Output& values);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_FEATURES_VOCABULARY_LOOKUP_H_
