#ifndef REKINDLE_CLI_STATISTICS_STATISTICS_TABLE_H_
#define REKINDLE_CLI_STATISTICS_STATISTICS_TABLE_H_

#include <string>
#include <vector>

#include "component/steps/split_statistics.h"
#include "nlohmann/json.hpp"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {

// Statistics for people at a terminal: for each split a table of its numbers
// and one of its strings, with small bars for the values' distribution.
std::string ToStatisticsTable(const std::vector<SplitStatistics>& splits);

// The same for programs: by split, the message as protobuf has it in JSON.
nlohmann::json ToStatisticsJson(const std::vector<SplitStatistics>& splits);

// A number with at most five digits that matter: "0.25", "43.922", "4201.8".
std::string ShortNumber(double value);

// The same of a figure of `stats` (its mean, its maximum); "-" where no value
// is a number, so that there is none.
std::string FigureOf(const tensorflow::metadata::v0::NumericStatistics& stats,
                     double figure);

}  // namespace rekindle

#endif  // REKINDLE_CLI_STATISTICS_STATISTICS_TABLE_H_
