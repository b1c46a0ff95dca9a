#ifndef REKINDLE_CLI_REPORT_FILES_H_
#define REKINDLE_CLI_REPORT_FILES_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "component/launch/step.h"

namespace rekindle {

// The report of a step as files, for orchestrators that take a step's results
// from there, as Argo does. docs/reporting.md lists the names.

// What is true of a step that ended so, by name: "execution_id", "model_uri",
// "accuracy". Numbers are the shortest decimals that read back exactly.
std::map<std::string, std::string> ReportValues(const StepSpec& spec,
                                                const StepReport& report);

// Makes `folder`, and removes from it what an earlier report left: a value that
// is not true of this step must not be found. An empty `folder` is none.
//
//   PERMISSION_DENIED, FAILED_PRECONDITION  it cannot be written
absl::Status PrepareReportFiles(const std::string& folder);

// Writes a file for each value and `report.json`, last; each appears whole. An
// empty `folder` is none.
//
//   RESOURCE_EXHAUSTED  the disk is full
absl::Status WriteReportFiles(const std::string& folder, const StepSpec& spec,
                              const StepReport& report);

}  // namespace rekindle

#endif  // REKINDLE_CLI_REPORT_FILES_H_
