// Internal to component/tasks.
#ifndef REKINDLE_COMPONENT_TASKS_FEATURE_COLUMNS_H_
#define REKINDLE_COMPONENT_TASKS_FEATURE_COLUMNS_H_

#include <map>
#include <string>
#include <vector>

#include "component/features/feature_spec.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/cc/framework/ops.h"

namespace rekindle {

// A batch's categorical features inside a graph: looks them up in tables, or
// makes them one-hot. A missing or unknown value has the table's row 0, and
// all zeros as one-hot; so a table has one row more than there are ids.
class FeatureColumns {
 public:
  // `inputs` are a batch's tensors by name. Everything must outlive it.
  FeatureColumns(GraphBuilder& graph, const FeatureSpec& features,
                 const NamedOutputs& inputs);

  // Rows [n, dim] of the variable `table`; those of several values are
  // combined as the feature says.
  tensorflow::Output Embedded(const CategoricalFeature& feature,
                              const std::string& table);

  // [n, ids]; of several values, how often each occurs, or its share.
  tensorflow::Output OneHot(const CategoricalFeature& feature);

 private:
  // Ids of the values, and for several values whose they are.
  struct Ids {
    tensorflow::Output ids;
    bool several = false;
    tensorflow::Output examples;  // of each value, its example
    tensorflow::Output counts;    // of each example, float [n, 1], at least 1
  };

  const Ids& IdsOf(const CategoricalFeature& feature);
  Ids SeveralIds(const CategoricalFeature& feature) const;
  tensorflow::Output Combine(const CategoricalFeature& feature, const Ids& ids,
                             const tensorflow::Output& rows);

  GraphBuilder& graph_;
  const NamedOutputs& inputs_;
  std::map<std::string, Ids> ids_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_FEATURE_COLUMNS_H_
