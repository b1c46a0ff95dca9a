#include "component/steps/split_statistics.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/data/deterministic_bytes.h"
#include "component/data/statistics_collector.h"
#include "component/launch/failure.h"
#include "component/launch/tfx_names.h"
#include "component/steps/splits.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;

constexpr char kStatisticsFile[] = "FeatureStats.pb";

absl::StatusOr<SplitStatistics> ComputeSplit(
    const ml_metadata::Artifact& examples, const std::string& split,
    const std::function<absl::Status()>& check_stop) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                      ListFiles(SplitDir(examples, split)));
  StatisticsCollector collector;
  RK_RETURN_IF_ERROR(collector.AddFiles(files, check_stop));
  return SplitStatistics{split, collector.Finish()};
}

}  // namespace

absl::StatusOr<std::vector<std::string>> SplitsWithout(
    const ml_metadata::Artifact& artifact,
    const std::vector<std::string>& excluded) {
  RK_ASSIGN_OR_RETURN(std::vector<std::string> splits, SplitNames(artifact));
  const std::string known = absl::StrJoin(splits, ", ");
  for (const std::string& name : excluded) {
    if (std::erase(splits, name) == 0) {
      return WithReason(FailureReason::kInputUnusable,
                        absl::InvalidArgumentError(absl::StrCat(
                            "artifact ", artifact.id(), " has no split '", name,
                            "' to leave out; it has: ", known)));
    }
  }
  if (!splits.empty()) return splits;
  return absl::InvalidArgumentError(absl::StrCat(
      "no split of artifact ", artifact.id(), " is left; it has: ", known));
}

absl::StatusOr<std::vector<SplitStatistics>> ComputeStatistics(
    const ml_metadata::Artifact& examples,
    const std::vector<std::string>& splits,
    const std::function<absl::Status()>& check_stop) {
  std::vector<absl::StatusOr<SplitStatistics>> results(splits.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < splits.size(); i = next++) {
      results[i] = ComputeSplit(examples, splits[i], check_stop);
    }
  };
  const size_t helpers =
      std::min<size_t>(splits.size(),
                       std::max(1U, std::thread::hardware_concurrency())) -
      1;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < helpers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();

  std::vector<SplitStatistics> all;
  for (absl::StatusOr<SplitStatistics>& result : results) {
    RK_RETURN_IF_ERROR(result.status());
    all.push_back(*std::move(result));
  }
  return all;
}

absl::Status WriteStatistics(const SplitStatistics& statistics,
                             const std::string& folder) {
  const std::string split_dir =
      JoinPath(folder, absl::StrCat("Split-", statistics.split));
  RK_RETURN_IF_ERROR(MakeDirs(split_dir));
  tfmd::DatasetFeatureStatisticsList list;
  *list.add_datasets() = statistics.statistics;
  return WriteFileAtomically(JoinPath(split_dir, kStatisticsFile),
                             SerializeDeterministically(list));
}

absl::StatusOr<SplitStatistics> ReadStatistics(
    const ml_metadata::Artifact& statistics, const std::string& split) {
  const std::string path =
      JoinPath(SplitDir(statistics, split), kStatisticsFile);
  RK_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  tfmd::DatasetFeatureStatisticsList list;
  if (!list.ParseFromString(bytes) || list.datasets_size() == 0) {
    return absl::DataLossError(
        absl::StrCat(path, " holds no statistics of a dataset"));
  }
  return SplitStatistics{split, list.datasets(0)};
}

}  // namespace rekindle
