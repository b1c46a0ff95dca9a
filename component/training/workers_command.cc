#include "component/training/workers_command.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "component/strategies/local_workers.h"
#include "component/strategies/tf_config.h"
#include "component/training/flags.h"
#include "rekindle/training/strategy.h"

namespace rekindle {
namespace {

constexpr int kMostWorkers = 64;
constexpr int kMostRestarts = 1000;
constexpr int kLongestTimeout = 7 * 24 * 3600;

absl::StatusOr<int> NumberOf(const Flags& flags, const std::string& name,
                             int otherwise, int least, int most) {
  if (!flags.Has(name)) return otherwise;
  int number = 0;
  if (absl::SimpleAtoi(flags.Get(name), &number) && number >= least &&
      number <= most) {
    return number;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--", name, " is '", flags.Get(name),
                   "', expected a number from ", least, " to ", most));
}

absl::Status CheckMode(const std::string& mode) {
  if (mode.starts_with("train")) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--workers is for training, but --mode is '", mode, "'"));
}

}  // namespace

absl::StatusOr<int> RunWorkersCommand(const Flags& flags,
                                      const std::vector<std::string>& arguments,
                                      const std::string& tf_config) {
  RK_ASSIGN_OR_RETURN(const Cluster cluster, ParseTfConfig(tf_config));
  if (!cluster.workers.empty()) {
    return absl::InvalidArgumentError(
        "--workers starts processes on this machine, but TF_CONFIG names "
        "workers already; use one of the two");
  }
  RK_RETURN_IF_ERROR(CheckMode(flags.Get("mode", "train")));
  LocalWorkers job;
  RK_ASSIGN_OR_RETURN(job.workers,
                      NumberOf(flags, "workers", 1, 1, kMostWorkers));
  RK_ASSIGN_OR_RETURN(job.restarts, NumberOf(flags, "worker_restarts",
                                             job.restarts, 0, kMostRestarts));
  job.argv = {std::filesystem::read_symlink("/proc/self/exe")};
  for (const std::string& argument :
       WithoutFlags(arguments, {"workers", "worker_restarts"})) {
    job.argv.push_back(argument);
  }
  return RunLocalWorkers(job);
}

absl::StatusOr<absl::Duration> WorkerTimeout(const Flags& flags) {
  const int otherwise =
      static_cast<int>(absl::ToInt64Seconds(StrategyOptions().worker_timeout));
  RK_ASSIGN_OR_RETURN(
      const int seconds,
      NumberOf(flags, "worker_timeout", otherwise, 0, kLongestTimeout));
  return absl::Seconds(seconds);
}

}  // namespace rekindle
