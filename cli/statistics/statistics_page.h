#ifndef REKINDLE_CLI_STATISTICS_STATISTICS_PAGE_H_
#define REKINDLE_CLI_STATISTICS_STATISTICS_PAGE_H_

#include <string>
#include <vector>

#include "component/steps/split_statistics.h"

namespace rekindle {

// Statistics as a page for a browser: each feature with a row for each split,
// beside one another what should be alike. One HTML file that needs no other,
// and no script.
std::string ToStatisticsPage(const std::string& title,
                             const std::vector<SplitStatistics>& splits);

}  // namespace rekindle

#endif  // REKINDLE_CLI_STATISTICS_STATISTICS_PAGE_H_
