#include "cli/table.h"

#include <gtest/gtest.h>

namespace rekindle {
namespace {

TEST(TableTest, ColumnsAreAlignedAndTheLastIsNotPadded) {
  EXPECT_EQ(ToTable({{"ID", "TYPE", "URI"}, {"10", "Model", "/x"}}),
            "ID  TYPE   URI\n"
            "10  Model  /x\n");
}

}  // namespace
}  // namespace rekindle
