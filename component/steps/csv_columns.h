#ifndef REKINDLE_COMPONENT_STEPS_CSV_COLUMNS_H_
#define REKINDLE_COMPONENT_STEPS_CSV_COLUMNS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/example/example.pb.h"

namespace rekindle {

// The narrowest kind that holds every value seen in a column.
enum class ColumnKind { kEmpty, kInt, kFloat, kBytes };

// The columns of a table of text, learned row by row; then rows become
// tf.Examples. Thread-compatible.
class CsvColumns {
 public:
  CsvColumns(std::vector<std::string> names, std::set<std::string> null_values);

  const std::vector<std::string>& names() const { return names_; }
  ColumnKind kind(size_t column) const { return kinds_[column]; }

  // Widens the kinds so that they hold this row. `fields` has one per column.
  void Learn(const std::vector<std::string>& fields);

  // The row as an example, in the kinds learned from all rows. A missing cell
  // is a feature without values.
  tensorflow::Example ToExample(const std::vector<std::string>& fields) const;

 private:
  bool IsNull(const std::string& field) const;

  const std::vector<std::string> names_;
  const std::set<std::string> null_values_;
  std::vector<ColumnKind> kinds_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_CSV_COLUMNS_H_
