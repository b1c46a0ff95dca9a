#ifndef REKINDLE_COMPONENT_IO_COLUMNS_H_
#define REKINDLE_COMPONENT_IO_COLUMNS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace rekindle {

// The features of a tf.Example that a tabular model reads, and how. Plain
// values.

struct NumericColumn {
  std::string name;
  bool is_integer = false;  // stored as int64, else as float
};

struct CategoricalColumn {
  std::string name;
  std::vector<std::string> vocabulary;
};

struct LabelColumn {
  std::string name;
  // Names of the classes in the order of their ids.
  std::vector<std::string> classes;
  // The label is stored as int64: class 0 is the value `first_value`. Else it
  // is stored as bytes, one of `classes`.
  bool is_integer = false;
  int64_t first_value = 0;
};

struct Columns {
  std::vector<NumericColumn> numeric;
  std::vector<CategoricalColumn> categorical;
  LabelColumn label;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_COLUMNS_H_
