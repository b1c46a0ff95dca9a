#ifndef REKINDLE_COMPONENT_DATA_CSV_COLUMNS_H_
#define REKINDLE_COMPONENT_DATA_CSV_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rekindle {

// The narrowest kind that holds every value seen in a column.
enum class ColumnKind { kEmpty, kInt, kFloat, kBytes };

// A cell as a number; nullopt if it is none of that kind. Space around it does
// not count.
std::optional<int64_t> CellAsInt(absl::string_view cell);
std::optional<double> CellAsNumber(absl::string_view cell);

// The columns of a table of text, learned row by row. Thread-compatible.
class CsvColumns {
 public:
  // Cells that mean "missing", beside the empty one.
  using NullValues = std::set<std::string, std::less<>>;

  CsvColumns(std::vector<std::string> names, NullValues null_values);

  const std::vector<std::string>& names() const { return names_; }
  ColumnKind kind(size_t column) const { return kinds_[column]; }

  // Widens the kinds so that they hold this row. `cells` has one per column.
  void Learn(const std::vector<absl::string_view>& cells);

  // Whether this cell says that there is no value.
  bool IsMissing(absl::string_view cell) const;

 private:
  std::vector<std::string> names_;
  NullValues null_values_;
  std::vector<ColumnKind> kinds_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_CSV_COLUMNS_H_
