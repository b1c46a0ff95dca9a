#ifndef REKINDLE_COMPONENT_STEPS_CSV_READER_H_
#define REKINDLE_COMPONENT_STEPS_CSV_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Cuts CSV (RFC 4180: quoted fields, doubled quotes, line breaks inside quotes,
// LF or CRLF, an optional byte order mark) into rows. Every row must have as
// many fields as the header. Thread-compatible.
class CsvReader {
 public:
  // `name` stands in errors, "NAME:LINE: ...". `content` is not owned and must
  // outlive the reader.
  CsvReader(std::string name, absl::string_view content);

  // Reads the header: call it once, first.
  //
  //   INVALID_ARGUMENT  the file is empty, or a column has no name or the name
  //                     of another
  absl::StatusOr<std::vector<std::string>> ReadHeader();

  // Reads the next row into `fields`, reusing its memory; false at the end.
  // Empty lines are passed over.
  //
  //   INVALID_ARGUMENT  the row has more or fewer fields than the header, or a
  //                     quote is not closed
  absl::StatusOr<bool> ReadRow(std::vector<std::string>& fields);

  // The line that the last row began on, counted from 1.
  int64_t line() const { return row_line_; }

 private:
  absl::StatusOr<bool> ReadFields(std::vector<std::string>& fields);
  absl::Status ReadQuoted(std::string& field);
  void ReadPlain(std::string& field);
  // Steps over a line's end; false when there is none here.
  bool ConsumeLineEnd();
  absl::Status Error(absl::string_view what) const;

  const std::string name_;
  absl::string_view rest_;
  size_t columns_ = 0;
  int64_t line_ = 1;
  int64_t row_line_ = 1;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_CSV_READER_H_
