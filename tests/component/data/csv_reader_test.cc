#include "component/data/csv_reader.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/records/byte_source.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Row = std::vector<std::string>;

// A text that comes in pieces.
class Pieces final : public ByteSource {
 public:
  Pieces(std::string text, size_t largest)
      : text_(std::move(text)), largest_(largest) {}

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    const size_t got = text_.copy(out, std::min(size, largest_), position_);
    position_ += got;
    return got;
  }

 private:
  const std::string text_;
  const size_t largest_;
  size_t position_ = 0;
};

// Header and rows of `text`, or the first error.
absl::StatusOr<std::vector<Row>> ReadAll(const std::string& text,
                                         size_t piece = 1 << 20) {
  CsvReader reader("t.csv", std::make_unique<Pieces>(text, piece));
  RK_ASSIGN_OR_RETURN(Row header, reader.ReadHeader());
  std::vector<Row> rows = {header};
  std::vector<absl::string_view> fields;
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool found, reader.ReadRow(fields));
    if (!found) return rows;
    rows.emplace_back(fields.begin(), fields.end());
  }
}

TEST(CsvReaderTest, ARowHasAnEnd) {
  const std::string open = "a,b\n1,\"";
  EXPECT_THAT(ReadAll(open + std::string(33 << 20, 'x'), 33 << 20),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("t.csv:2: this row has over 33554432 bytes; "
                                 "is a quote not closed?")));
  EXPECT_THAT(ReadAll("a" + std::string(100'000, ',')),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("over 100000 fields")));
}

TEST(CsvReaderTest, ReadsPlainRows) {
  RK_ASSERT_OK_AND_ASSIGN(const auto rows, ReadAll("a,b\n1,2\n,x y\n"));
  EXPECT_THAT(rows, ElementsAre(Row{"a", "b"}, Row{"1", "2"}, Row{"", "x y"}));
}

TEST(CsvReaderTest, TakesCrLfAByteOrderMarkAndAMissingLastLineEnd) {
  RK_ASSERT_OK_AND_ASSIGN(const auto rows, ReadAll("\xEF\xBB\xBF"
                                                   "a,b\r\n1,2\r\n3,4"));
  EXPECT_THAT(rows, ElementsAre(Row{"a", "b"}, Row{"1", "2"}, Row{"3", "4"}));
}

TEST(CsvReaderTest, QuotedFieldsHoldCommasQuotesAndLineBreaks) {
  RK_ASSERT_OK_AND_ASSIGN(
      const auto rows, ReadAll("a,b\n\"x,\"\"y\"\"\n z\",\"\"\r\n\"q\",r\n"));
  EXPECT_THAT(
      rows, ElementsAre(Row{"a", "b"}, Row{"x,\"y\"\n z", ""}, Row{"q", "r"}));
}

TEST(CsvReaderTest, PiecesMayEndAnywhere) {
  const std::string text = "a,b\r\n1,\"x\"\"y\"\r\n\r\n2,\"\n\"\n3,4\r";
  RK_ASSERT_OK_AND_ASSIGN(const auto whole, ReadAll(text));
  EXPECT_THAT(whole, ElementsAre(Row{"a", "b"}, Row{"1", "x\"y"},
                                 Row{"2", "\n"}, Row{"3", "4"}));
  for (size_t piece = 1; piece < text.size(); ++piece) {
    RK_ASSERT_OK_AND_ASSIGN(const auto rows, ReadAll(text, piece));
    EXPECT_EQ(rows, whole) << "in pieces of " << piece;
  }
}

TEST(CsvReaderTest, ARowMayBeLongerThanAnyBuffer) {
  const std::string cell(3 << 20, 'x');
  RK_ASSERT_OK_AND_ASSIGN(const auto rows, ReadAll("a\n\"" + cell + "\"\n"));
  EXPECT_EQ(rows[1][0], cell);
}

TEST(CsvReaderTest, EmptyLinesAreNoRows) {
  RK_ASSERT_OK_AND_ASSIGN(const auto rows, ReadAll("\na,b\n\n1,2\n\r\n\n"));
  EXPECT_THAT(rows, ElementsAre(Row{"a", "b"}, Row{"1", "2"}));
}

TEST(CsvReaderTest, ARaggedRowIsNamedByItsLine) {
  EXPECT_THAT(ReadAll("a,b\n1,2\n1,2,3\n"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "t.csv:3: this row has 3 fields, the header has 2"));
}

TEST(CsvReaderTest, LinesAreCountedThroughQuotedBreaks) {
  EXPECT_THAT(ReadAll("a,b\n\"1\n1\n1\",2\n3\n"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("t.csv:5: this row has 1 fields")));
}

TEST(CsvReaderTest, AColumnsNameMustBeUtf8) {
  EXPECT_THAT(
      ReadAll("a,gr\xf6\xdf\n1,2\n"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("t.csv:1: the name of column 2 is not UTF-8")));
}

// Each refill parses the row anew: with one for each byte this would take an
// hour.
TEST(CsvReaderTest, ASourceThatGivesAByteAtATimeIsReadInTime) {
  const std::string row(1 << 20, 'x');
  const auto rows = ReadAll("a\n" + row + "\n", /*piece=*/1);
  ASSERT_THAT(rows, IsOk());
  EXPECT_EQ(rows->at(1).at(0).size(), row.size());
}

TEST(CsvReaderTest, AnEmptyFileIsAnError) {
  EXPECT_THAT(ReadAll(""), StatusIs(absl::StatusCode::kInvalidArgument,
                                    HasSubstr("the file is empty")));
  EXPECT_THAT(ReadAll("\n\n"), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(CsvReaderTest, HeaderNamesMustBeUsable) {
  EXPECT_THAT(ReadAll("a,a\n1,2\n"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("two columns are called 'a'")));
  EXPECT_THAT(ReadAll("a,\n1,2\n"), StatusIs(absl::StatusCode::kInvalidArgument,
                                             HasSubstr("has no name")));
}

TEST(CsvReaderTest, BadQuotesAreErrors) {
  EXPECT_THAT(
      ReadAll("a\n\"open\n"),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not end")));
  EXPECT_THAT(ReadAll("a\n\"x\"y\n"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("follows a closing quote")));
}

// What a writer that quotes everything writes.
std::string ToCsv(const std::vector<Row>& rows) {
  std::string csv;
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      csv += i == 0 ? "\"" : ",\"";
      for (const char c : row[i]) csv += c == '"' ? "\"\"" : std::string(1, c);
      csv += '"';
    }
    csv += '\n';
  }
  return csv;
}

TEST(CsvReaderTest, ReadsBackWhateverWasWritten) {
  std::mt19937 random(20261116);
  const std::string alphabet = "ab,\"\n\r 1é";
  for (int round = 0; round < 200; ++round) {
    std::vector<Row> rows = {{"first", "second", "third"}};
    for (unsigned i = 0; i < random() % 5; ++i) {
      Row row(3);
      for (std::string& field : row) {
        for (unsigned n = random() % 6; n > 0; --n) {
          field += alphabet[random() % alphabet.size()];
        }
      }
      rows.push_back(row);
    }
    RK_ASSERT_OK_AND_ASSIGN(const auto read, ReadAll(ToCsv(rows)));
    EXPECT_EQ(read, rows);
    RK_ASSERT_OK_AND_ASSIGN(const auto in_pieces,
                            ReadAll(ToCsv(rows), 3 + random() % 20));
    EXPECT_EQ(in_pieces, rows);
  }
}

}  // namespace
}  // namespace rekindle
