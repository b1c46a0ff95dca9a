#include "component/data/csv_reader.h"

#include <algorithm>
#include <cstddef>
#include <memory>
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
#include "base/status_util.h"
#include "base/utf8.h"
#include "component/records/byte_source.h"

namespace rekindle {
namespace {

constexpr size_t kBufferSize = 1 << 20;
// A quote that is never closed makes a row of all the rest of a file, which a
// few bytes of gzip can make as long as they like.
constexpr size_t kLongestRow = size_t{32} << 20;
constexpr size_t kMostColumns = 100'000;

// Steps over a line's end; false when there is none here.
bool ConsumeLineEnd(absl::string_view& rest) {
  return absl::ConsumePrefix(&rest, "\r\n") || absl::ConsumePrefix(&rest, "\n");
}

}  // namespace

CsvReader::CsvReader(std::string name, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)),
      source_(std::move(source)),
      buffer_(kBufferSize) {}

absl::StatusOr<std::vector<std::string>> CsvReader::ReadHeader() {
  RK_RETURN_IF_ERROR(Refill());
  if (absl::StartsWith(buffered(), "\xEF\xBB\xBF")) Consume(3);
  std::vector<absl::string_view> fields;
  RK_ASSIGN_OR_RETURN(const bool found, ReadFields(fields));
  if (!found) {
    return Error("the file is empty; a header and at least one row are needed");
  }
  std::set<absl::string_view> seen;
  for (const absl::string_view name : fields) {
    if (!IsValidUtf8(name)) {
      return Error(absl::StrCat("the name of column ", seen.size() + 1,
                                " is not UTF-8; save the file as UTF-8"));
    }
    if (name.empty()) return Error("a column of the header has no name");
    if (!seen.insert(name).second) {
      return Error(absl::StrCat("two columns are called '", name, "'"));
    }
  }
  columns_ = fields.size();
  return std::vector<std::string>(fields.begin(), fields.end());
}

absl::StatusOr<bool> CsvReader::ReadRow(
    std::vector<absl::string_view>& fields) {
  RK_ASSIGN_OR_RETURN(const bool found, ReadFields(fields));
  if (found && fields.size() != columns_) {
    return Error(absl::StrCat("this row has ", fields.size(),
                              " fields, the header has ", columns_));
  }
  return found;
}

absl::StatusOr<bool> CsvReader::ReadFields(
    std::vector<absl::string_view>& fields) {
  RK_ASSIGN_OR_RETURN(const bool more, SkipEmptyLines());
  if (!more) return false;
  row_line_ = line_;
  while (true) {
    absl::string_view rest = buffered();
    RK_ASSIGN_OR_RETURN(const Found found, ParseRow(rest, fields));
    if (found == Found::kWhole) {
      line_ += lines_in_row_;
      Consume(buffered().size() - rest.size());
      return true;
    }
    RK_RETURN_IF_ERROR(Refill());
  }
}

absl::StatusOr<bool> CsvReader::SkipEmptyLines() {
  while (true) {
    absl::string_view rest = buffered();
    while (ConsumeLineEnd(rest)) ++line_;
    Consume(buffered().size() - rest.size());
    // A last CR may have its LF in what is not read yet.
    const bool undecided = rest.empty() || rest == "\r";
    if (!undecided) return true;
    if (source_ended_) return !rest.empty();
    RK_RETURN_IF_ERROR(Refill());
  }
}

absl::StatusOr<CsvReader::Found> CsvReader::ParseRow(
    absl::string_view& rest, std::vector<absl::string_view>& fields) {
  fields.clear();
  unescaped_.clear();
  lines_in_row_ = 0;
  do {
    if (fields.size() == kMostColumns) {
      return Error(absl::StrCat("this row has over ", kMostColumns, " fields"));
    }
    absl::string_view& field = fields.emplace_back();
    Found found = Found::kCutShort;
    if (absl::StartsWith(rest, "\"")) {
      RK_ASSIGN_OR_RETURN(found, ParseQuoted(rest, field));
    } else {
      found = ParsePlain(rest, field);
    }
    if (found == Found::kCutShort) return found;
  } while (absl::ConsumePrefix(&rest, ","));
  if (rest.empty()) return Found::kWhole;  // The file ends with this row.
  if (!ConsumeLineEnd(rest)) {
    if (rest == "\r" && !source_ended_) return Found::kCutShort;
    return Error("text follows a closing quote; double a quote to keep it");
  }
  ++lines_in_row_;
  return Found::kWhole;
}

CsvReader::Found CsvReader::ParsePlain(absl::string_view& rest,
                                       absl::string_view& field) const {
  const char* end = rest.data();
  const char* const limit = rest.data() + rest.size();
  while (end < limit && *end != ',' && *end != '\n') ++end;
  if (end == limit && !source_ended_) return Found::kCutShort;
  field = rest.substr(0, static_cast<size_t>(end - rest.data()));
  rest.remove_prefix(field.size());
  const bool ends_row = end == limit || *end == '\n';
  if (ends_row) field = absl::StripSuffix(field, "\r");
  return Found::kWhole;
}

absl::StatusOr<CsvReader::Found> CsvReader::ParseQuoted(
    absl::string_view& rest, absl::string_view& field) {
  rest.remove_prefix(1);
  std::string* unescaped = nullptr;
  while (true) {
    const size_t quote = rest.find('"');
    const bool decided = quote + 1 < rest.size() || source_ended_;
    if (quote == absl::string_view::npos || !decided) {
      if (!source_ended_) return Found::kCutShort;
      return Error("a quoted field does not end; close the quote");
    }
    const absl::string_view part = rest.substr(0, quote);
    lines_in_row_ += std::count(part.begin(), part.end(), '\n');
    rest.remove_prefix(quote + 1);
    const bool doubled = absl::ConsumePrefix(&rest, "\"");
    if (!doubled && unescaped == nullptr) {
      field = part;
      return Found::kWhole;
    }
    if (unescaped == nullptr) unescaped = &unescaped_.emplace_back();
    absl::StrAppend(unescaped, part, doubled ? "\"" : "");
    if (doubled) continue;
    field = *unescaped;
    return Found::kWhole;
  }
}

absl::Status CsvReader::Refill() {
  std::copy(buffer_.begin() + static_cast<ptrdiff_t>(position_),
            buffer_.begin() + static_cast<ptrdiff_t>(end_), buffer_.begin());
  end_ -= position_;
  position_ = 0;
  if (end_ >= kLongestRow) {
    return Error(absl::StrCat("this row has over ", kLongestRow,
                              " bytes; is a quote not closed?"));
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  // To the brim: a row is parsed anew with each refill, and a source may give a
  // byte at a time.
  while (end_ < buffer_.size() && !source_ended_) {
    const absl::StatusOr<size_t> got =
        source_->Read(buffer_.data() + end_, buffer_.size() - end_);
    if (!got.ok()) return WithContext(got.status(), name_);
    source_ended_ = *got == 0;
    end_ += *got;
  }
  return absl::OkStatus();
}

void CsvReader::Consume(size_t bytes) {
  position_ += bytes;
  offset_ += static_cast<int64_t>(bytes);
}

absl::Status CsvReader::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(name_, ":", row_line_, ": ", what));
}

}  // namespace rekindle
