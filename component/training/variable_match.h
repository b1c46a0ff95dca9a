// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_VARIABLE_MATCH_H_
#define REKINDLE_COMPONENT_TRAINING_VARIABLE_MATCH_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/io/saved_model_reader.h"
#include "rekindle/training/variable.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// Our variable's name -> its name in the base model.
using VariableNames = std::map<std::string, std::string>;

// Reads "ours=theirs" pairs, where `variables` are ours.
//
//   INVALID_ARGUMENT  a pair is malformed, or names no variable of ours (the
//                     nearest is suggested), or one twice
absl::StatusOr<VariableNames> ParseVariableNames(
    const std::vector<std::string>& pairs,
    const std::vector<VariableSpec>& variables);

// The value of a variable in a base model, or why there is none.
struct VariableMatch {
  const tensorflow::Tensor* value = nullptr;  // of the base model
  std::string reason;                         // when there is none
};

// Finds the variable `name` in `base`: under the name that `renamed` gives it,
// if it does; else under its own name, or behind the name of a model
// ("sequential/dense/kernel"), or by the same two rules among the writer's
// objects. Never by shape. A rule by which two fit finds none.
VariableMatch MatchVariable(const std::string& name,
                            const VariableNames& renamed,
                            const SavedVariables& base);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_VARIABLE_MATCH_H_
