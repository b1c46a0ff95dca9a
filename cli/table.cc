#include "cli/table.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "cli/terminal_text.h"

namespace rekindle {

std::string ToTable(std::vector<std::vector<std::string>> rows) {
  std::vector<size_t> widths;
  for (auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = TerminalLine(row[i]);
      widths[i] = std::max(widths[i], CountCharacters(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == row.size();
      absl::StrAppend(
          &text, row[i],
          last ? "\n"
               : std::string(widths[i] - CountCharacters(row[i]) + 2, ' '));
    }
  }
  return text;
}

}  // namespace rekindle
