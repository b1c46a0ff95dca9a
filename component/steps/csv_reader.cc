#include "component/steps/csv_reader.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace rekindle {

CsvReader::CsvReader(std::string name, absl::string_view content)
    : name_(std::move(name)),
      rest_(absl::StripPrefix(content, "\xEF\xBB\xBF")) {}

absl::StatusOr<std::vector<std::string>> CsvReader::ReadHeader() {
  std::vector<std::string> names;
  RK_ASSIGN_OR_RETURN(const bool found, ReadFields(names));
  if (!found) {
    return Error("the file is empty; a header and at least one row are needed");
  }
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) return Error("a column of the header has no name");
    if (!seen.insert(name).second) {
      return Error(absl::StrCat("two columns are called '", name, "'"));
    }
  }
  columns_ = names.size();
  return names;
}

absl::StatusOr<bool> CsvReader::ReadRow(std::vector<std::string>& fields) {
  RK_ASSIGN_OR_RETURN(const bool found, ReadFields(fields));
  if (found && fields.size() != columns_) {
    return Error(absl::StrCat("this row has ", fields.size(),
                              " fields, the header has ", columns_));
  }
  return found;
}

absl::StatusOr<bool> CsvReader::ReadFields(std::vector<std::string>& fields) {
  while (ConsumeLineEnd()) {
  }
  if (rest_.empty()) return false;
  row_line_ = line_;
  size_t count = 0;
  do {
    if (fields.size() <= count) fields.emplace_back();
    std::string& field = fields[count++];
    field.clear();
    if (absl::StartsWith(rest_, "\"")) {
      RK_RETURN_IF_ERROR(ReadQuoted(field));
    } else {
      ReadPlain(field);
    }
  } while (absl::ConsumePrefix(&rest_, ","));
  fields.resize(count);
  if (!rest_.empty() && !ConsumeLineEnd()) {
    return Error("text follows a closing quote; double a quote to keep it");
  }
  return true;
}

void CsvReader::ReadPlain(std::string& field) {
  absl::string_view part = rest_.substr(0, rest_.find_first_of(",\n"));
  const bool ends_row =
      part.size() == rest_.size() || rest_[part.size()] == '\n';
  rest_.remove_prefix(part.size());
  if (ends_row) part = absl::StripSuffix(part, "\r");
  field.append(part.data(), part.size());
}

absl::Status CsvReader::ReadQuoted(std::string& field) {
  rest_.remove_prefix(1);
  while (true) {
    const size_t quote = rest_.find('"');
    if (quote == absl::string_view::npos) {
      return Error("a quoted field does not end; close the quote");
    }
    const absl::string_view part = rest_.substr(0, quote);
    field.append(part.data(), part.size());
    line_ += std::count(part.begin(), part.end(), '\n');
    rest_.remove_prefix(quote + 1);
    if (!absl::ConsumePrefix(&rest_, "\"")) return absl::OkStatus();
    field.push_back('"');
  }
}

bool CsvReader::ConsumeLineEnd() {
  if (!absl::ConsumePrefix(&rest_, "\r\n") &&
      !absl::ConsumePrefix(&rest_, "\n")) {
    return false;
  }
  ++line_;
  return true;
}

absl::Status CsvReader::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(name_, ":", row_line_, ": ", what));
}

}  // namespace rekindle
