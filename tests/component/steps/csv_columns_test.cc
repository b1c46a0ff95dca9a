#include "component/steps/csv_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/proto_matchers.h"

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

TEST(CsvColumnsTest, RowsBecomeExamples) {
  CsvColumns columns({"i", "f", "b"}, {});
  columns.Learn({"1", "2.5", "x"});
  EXPECT_THAT(columns.ToExample({"3", "4", ""}), LooksLike(R"pb(
                features {
                  feature {
                    key: "i"
                    value { int64_list { value: 3 } }
                  }
                  feature {
                    key: "f"
                    value { float_list { value: 4 } }
                  }
                  feature {
                    key: "b"
                    value {}
                  }
                }
              )pb"));
}

}  // namespace
}  // namespace rekindle
