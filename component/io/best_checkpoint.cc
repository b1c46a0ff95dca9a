#include "rekindle/training/best_checkpoint.h"

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "component/contract/whole_file.h"
#include "nlohmann/json.hpp"
#include "rekindle/training/checkpoint_manager.h"
#include "rekindle/training/metric.h"
#include "tensorflow/core/util/tensor_bundle/naming.h"

namespace rekindle {
namespace {

using ::nlohmann::json;

constexpr char kStep[] = "best_ckpt_global_step";

std::string MetricName(const std::string& metric) {
  return absl::StrReplaceAll(metric, {{"|", "/"}});
}

absl::Status CheckOptions(const BestCheckpoint& best) {
  if (best.comparison != "higher" && best.comparison != "lower") {
    return absl::InvalidArgumentError(
        absl::StrCat("best_checkpoint_metric_comp is '", best.comparison,
                     "', expected higher or lower"));
  }
  if (best.metric.empty()) {
    return absl::InvalidArgumentError(
        "best_checkpoint_eval_metric is empty: it must say by which measure "
        "the best checkpoint is chosen");
  }
  return absl::OkStatus();
}

absl::Status NotMeasured(const std::string& metric, const Logs& logs) {
  std::vector<std::string> names;
  for (const auto& [name, value] : logs) names.push_back(name);
  const std::optional<std::string> meant = NearestName(metric, names);
  return absl::InvalidArgumentError(absl::StrCat(
      "best_checkpoint_eval_metric is '", metric,
      "', but evaluations measure only: ", absl::StrJoin(names, ", "),
      meant.has_value() ? absl::StrCat("; did you mean '", *meant, "'?") : ""));
}

// The best checkpoint so far. info.json is what counts: it is replaced once the
// files of a new checkpoint are written, and before the old ones are removed.
class Exporter {
 public:
  explicit Exporter(BestCheckpoint best)
      : best_(std::move(best)),
        metric_(MetricName(best_.metric)),
        manager_(best_.folder, /*max_to_keep=*/1, "best_ckpt") {}

  // Takes over what an earlier run left.
  absl::Status Resume() {
    const absl::StatusOr<std::string> text = ReadWholeFile(InfoPath());
    if (absl::IsNotFound(text.status())) return absl::OkStatus();
    RK_RETURN_IF_ERROR(text.status());
    const json info = json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!info.is_object() || !info.contains(kStep) ||
        !info[kStep].is_number_integer()) {
      return absl::DataLossError(
          absl::StrCat("'", InfoPath(), "' is damaged: it has no ", kStep));
    }
    // Of another metric nothing is known.
    if (info.contains(metric_) && info[metric_].is_number()) {
      value_ = info[metric_].get<double>();
    }
    return FinishExport(info[kStep].get<int64_t>());
  }

  absl::Status Look(const Logs& logs) {
    const auto measured = logs.find(metric_);
    if (measured == logs.end()) return NotMeasured(metric_, logs);
    if (!IsBetter(measured->second)) return absl::OkStatus();
    RK_RETURN_IF_ERROR(Export(logs));
    value_ = measured->second;
    return absl::OkStatus();
  }

 private:
  std::string InfoPath() const {
    return absl::StrCat(best_.folder, "/info.json");
  }

  bool IsBetter(double value) const {
    if (std::isnan(value)) return false;
    if (!value_.has_value()) return true;
    return best_.comparison == "higher" ? value > *value_ : value < *value_;
  }

  absl::Status Export(const Logs& logs) {
    const int64_t step = best_.global_step();
    RK_ASSIGN_OR_RETURN(const NamedTensors state, best_.state());
    RK_RETURN_IF_ERROR(manager_.Write(step, state));
    json info = logs;
    info[kStep] = step;
    RK_RETURN_IF_ERROR(ReplaceFile(InfoPath(), info.dump(2)));
    return manager_.MakeLatest(step);
  }

  // A run may have ended before the checkpoint that info.json names was made
  // the latest.
  absl::Status FinishExport(int64_t step) const {
    std::error_code ignored;  // What cannot be looked at is not there.
    if (!std::filesystem::exists(
            tensorflow::MetaFilename(manager_.PrefixOf(step)), ignored)) {
      return absl::OkStatus();
    }
    return manager_.MakeLatest(step);
  }

  const BestCheckpoint best_;
  const std::string metric_;
  CheckpointManager manager_;
  std::optional<double> value_;
};

}  // namespace

absl::StatusOr<Action> MakeBestCheckpointExport(BestCheckpoint best) {
  RK_RETURN_IF_ERROR(CheckOptions(best));
  auto exporter = std::make_shared<Exporter>(std::move(best));
  RK_RETURN_IF_ERROR(exporter->Resume());
  return [exporter](const Logs& logs) { return exporter->Look(logs); };
}

}  // namespace rekindle
