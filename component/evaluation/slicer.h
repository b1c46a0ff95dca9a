// Internal to component/evaluation.
#ifndef REKINDLE_COMPONENT_EVALUATION_SLICER_H_
#define REKINDLE_COMPONENT_EVALUATION_SLICER_H_

#include <set>
#include <string>
#include <vector>

#include "component/contract/slices.h"
#include "component/evaluation/example_fields.h"

namespace rekindle {

// The features that the slices are made by.
std::set<std::string> SliceFeatures(const std::vector<SliceSpec>& specs);

// The slices that the example in `fields` belongs to, each once: that of all
// examples first, then those of `specs`. A feature of several values puts it
// into a slice for each, as TensorFlow Model Analysis has it; a missing feature
// into none, and so does NaN.
std::vector<SliceKey> SlicesOf(const std::vector<SliceSpec>& specs,
                               const ExampleFields& fields);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_EVALUATION_SLICER_H_
