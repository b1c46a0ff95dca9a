#include "component/tasks/serving_inputs.h"

#include <limits>
#include <string>
#include <vector>

#include "component/io/string_tensor.h"
#include "component/tasks/join_columns.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/parsing_ops.h"
#include "tensorflow/cc/ops/sparse_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;

// Stands for a missing string: not UTF-8, so that no vocabulary has it.
constexpr char kMissing[] = "\xff";

// Parses every feature as a sparse tensor: there a feature may be absent, or
// present and empty, where a dense one must have its value.
class ExampleParser {
 public:
  ExampleParser(const Scope& scope, const Columns& columns,
                const Output& serialized)
      : scope_(scope), parsed_(Parse(scope, columns, serialized)) {
    const Output count = ops::Shape(scope, serialized,
                                    ops::Shape::OutType(tensorflow::DT_INT64));
    one_per_example_ =
        ops::Concat(scope, {count, ops::Const(scope, {int64_t{1}})}, 0);
  }

  // Feature `index` as floats [n, 1], NaN where it is missing.
  Output Numeric(size_t index) const {
    const Output values =
        ops::Cast(scope_, parsed_.sparse_values[index], tensorflow::DT_FLOAT);
    return Dense(index, values,
                 ops::Const(scope_, std::numeric_limits<float>::quiet_NaN()));
  }

  // Feature `index` as strings [n, 1].
  Output Strings(size_t index) const {
    return Dense(index, parsed_.sparse_values[index],
                 ops::Const(scope_, std::string(kMissing)));
  }

 private:
  static ops::ParseExampleV2 Parse(const Scope& scope, const Columns& columns,
                                   const Output& serialized) {
    std::vector<std::string> keys;
    std::vector<tensorflow::DataType> types;
    for (const NumericColumn& column : columns.numeric) {
      keys.push_back(column.name);
      types.push_back(column.is_integer ? tensorflow::DT_INT64
                                        : tensorflow::DT_FLOAT);
    }
    for (const CategoricalColumn& column : columns.categorical) {
      keys.push_back(column.name);
      types.push_back(tensorflow::DT_STRING);
    }
    const Output none = ops::Const(scope, StringTensor({}));
    return {scope.WithOpName("parse"),
            serialized,
            none,
            ops::Const(scope, StringTensor(keys)),
            none,
            none,
            std::vector<Output>(),
            static_cast<int64_t>(keys.size()),
            types,
            {},
            {},
            {}};
  }

  Output Dense(size_t index, const Output& values,
               const Output& missing) const {
    return ops::SparseToDense(scope_, parsed_.sparse_indices[index],
                              one_per_example_, values, missing);
  }

  const Scope scope_;
  const ops::ParseExampleV2 parsed_;
  Output one_per_example_;  // the shape [n, 1]
};

}  // namespace

ModelInputs ParseInGraph(const Scope& scope, const Columns& columns,
                         const Output& serialized) {
  const ExampleParser parser(scope, columns, serialized);
  ModelInputs inputs;
  size_t feature = 0;
  std::vector<Output> numeric;
  for (; feature < columns.numeric.size(); ++feature) {
    numeric.push_back(parser.Numeric(feature));
  }
  if (!numeric.empty()) inputs.numeric = JoinColumns(scope, numeric);
  for (const CategoricalColumn& column : columns.categorical) {
    const Output equal =
        ops::Equal(scope, parser.Strings(feature++),
                   ops::Const(scope, StringTensor(column.vocabulary)));
    inputs.one_hot.push_back(ops::Cast(scope, equal, tensorflow::DT_FLOAT));
  }
  return inputs;
}

}  // namespace rekindle
