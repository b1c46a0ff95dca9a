#ifndef REKINDLE_COMPONENT_DATA_CSV_READER_H_
#define REKINDLE_COMPONENT_DATA_CSV_READER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "component/records/byte_source.h"

namespace rekindle {

// Cuts CSV (RFC 4180: quoted fields, doubled quotes, line breaks inside quotes,
// LF or CRLF, an optional byte order mark) into rows. Every row must have as
// many fields as the header. Holds little more than one row of the file in
// memory. Thread-compatible.
class CsvReader {
 public:
  // `name` stands in errors, "NAME:LINE: ...".
  CsvReader(std::string name, std::unique_ptr<ByteSource> source);

  // Reads the header: call it once, first.
  //
  //   INVALID_ARGUMENT  the file is empty, or a column has no name, the name
  //                     of another, or one that is not UTF-8
  //   DATA_LOSS, UNAVAILABLE  as ByteSource::Read
  absl::StatusOr<std::vector<std::string>> ReadHeader();

  // Reads the next row into `fields`; false at the end. The fields stay valid
  // until the next call. Empty lines are passed over.
  //
  //   INVALID_ARGUMENT  the row has more or fewer fields than the header, a
  //                     quote is not closed, or it is longer than any row
  //   DATA_LOSS, UNAVAILABLE  as ByteSource::Read
  absl::StatusOr<bool> ReadRow(std::vector<absl::string_view>& fields);

  // The line that the last row began on, counted from 1.
  int64_t line() const { return row_line_; }
  // How many bytes of the text have been read as rows.
  int64_t offset() const { return offset_; }

 private:
  // What became of an attempt to read something from what is buffered.
  enum class Found { kWhole, kCutShort };

  absl::StatusOr<bool> ReadFields(std::vector<absl::string_view>& fields);
  // Steps over line ends; false when the file ends with them.
  absl::StatusOr<bool> SkipEmptyLines();
  // These leave `rest` behind what they read.
  absl::StatusOr<Found> ParseRow(absl::string_view& rest,
                                 std::vector<absl::string_view>& fields);
  absl::StatusOr<Found> ParseQuoted(absl::string_view& rest,
                                    absl::string_view& field);
  Found ParsePlain(absl::string_view& rest, absl::string_view& field) const;

  // Reads more of the file behind what is buffered.
  absl::Status Refill();
  absl::string_view buffered() const {
    return {buffer_.data() + position_, end_ - position_};
  }
  void Consume(size_t bytes);
  absl::Status Error(absl::string_view what) const;

  const std::string name_;
  const std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  size_t position_ = 0;
  size_t end_ = 0;
  bool source_ended_ = false;
  std::deque<std::string> unescaped_;  // fields that are not as in the file
  size_t columns_ = 0;
  int64_t line_ = 1;
  int64_t lines_in_row_ = 0;
  int64_t row_line_ = 1;
  int64_t offset_ = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_CSV_READER_H_
