#ifndef REKINDLE_CLI_TABLE_H_
#define REKINDLE_CLI_TABLE_H_

#include <string>
#include <vector>

namespace rekindle {

// Rows of cells as aligned columns, two spaces apart; the first row is the
// header. The last column is not padded; line ends and other control characters
// in a cell are shown as spaces.
std::string ToTable(std::vector<std::vector<std::string>> rows);

}  // namespace rekindle

#endif  // REKINDLE_CLI_TABLE_H_
