#include "component/data/csv_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rekindle {
namespace {

TEST(CsvColumnsTest, AColumnTakesTheNarrowestKindThatHoldsAllItsValues) {
  CsvColumns columns({"int", "float", "bytes", "empty"}, {"NA"});
  columns.Learn({"1", "1", "1", ""});
  columns.Learn({"-7", "2.5", "x", "NA"});
  columns.Learn({"NA", "3e2", "2", ""});
  EXPECT_EQ(columns.kind(0), ColumnKind::kInt);
  EXPECT_EQ(columns.kind(1), ColumnKind::kFloat);
  EXPECT_EQ(columns.kind(2), ColumnKind::kBytes);
  EXPECT_EQ(columns.kind(3), ColumnKind::kEmpty);
}

TEST(CsvColumnsTest, ANumberTooLargeForInt64IsAFloat) {
  CsvColumns columns({"n"}, {});
  columns.Learn({"9223372036854775808"});
  EXPECT_EQ(columns.kind(0), ColumnKind::kFloat);
}

TEST(CsvColumnsTest, SignsAndSpacesArePartOfNumbers) {
  EXPECT_EQ(CellAsInt(" +12 "), 12);
  EXPECT_EQ(CellAsInt("1.0"), std::nullopt);
  EXPECT_EQ(CellAsNumber("+1.5"), 1.5);
  EXPECT_EQ(CellAsNumber(" -1e3"), -1000);
  EXPECT_EQ(CellAsNumber("0x10"), std::nullopt);
  EXPECT_EQ(CellAsNumber("1,5"), std::nullopt);
}

}  // namespace
}  // namespace rekindle
