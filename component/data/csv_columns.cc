#include "component/data/csv_columns.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

// Most cells are a plain number, which this reads several times faster than
// what takes signs, spaces and overflows too.
template <typename Number>
bool ReadPlainNumber(absl::string_view cell, Number& number) {
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, number);
  return error == std::errc() && stop == end;
}

// The kind of a cell in a column that is at least of kind `known`.
ColumnKind KindOf(absl::string_view cell, ColumnKind known) {
  if (known != ColumnKind::kFloat && CellAsInt(cell)) return ColumnKind::kInt;
  return CellAsNumber(cell) ? ColumnKind::kFloat : ColumnKind::kBytes;
}

}  // namespace

std::optional<int64_t> CellAsInt(absl::string_view cell) {
  int64_t integer = 0;
  if (ReadPlainNumber(cell, integer)) return integer;
  if (absl::SimpleAtoi(cell, &integer)) return integer;
  return std::nullopt;
}

std::optional<double> CellAsNumber(absl::string_view cell) {
  double number = 0;
  if (ReadPlainNumber(cell, number)) return number;
  // Hexadecimal digits are text to Python, and so to TFX.
  const bool is_hexadecimal =
      cell.find_first_of("xX") != absl::string_view::npos;
  if (!is_hexadecimal && absl::SimpleAtod(cell, &number)) return number;
  return std::nullopt;
}

CsvColumns::CsvColumns(std::vector<std::string> names, NullValues null_values)
    : names_(std::move(names)),
      null_values_(std::move(null_values)),
      kinds_(names_.size(), ColumnKind::kEmpty) {}

bool CsvColumns::IsMissing(absl::string_view cell) const {
  return cell.empty() || (!null_values_.empty() && null_values_.contains(cell));
}

void CsvColumns::Learn(const std::vector<absl::string_view>& cells) {
  for (size_t i = 0; i < names_.size(); ++i) {
    ColumnKind& kind = kinds_[i];
    if (kind == ColumnKind::kBytes || IsMissing(cells[i])) continue;
    kind = std::max(kind, KindOf(cells[i], kind));
  }
}

}  // namespace rekindle
