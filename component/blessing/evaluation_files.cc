#include "component/blessing/evaluation_files.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/blessing/eval_config.h"
#include "component/contract/slices.h"
#include "component/records/tfrecord_writer.h"
#include "google/protobuf/util/json_util.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using tensorflow_model_analysis::EvalRun;
using tensorflow_model_analysis::MetricKey;
using tensorflow_model_analysis::MetricsForSlice;
using tensorflow_model_analysis::MetricsValidationForSlice;
using tensorflow_model_analysis::ValidationFailure;
using tensorflow_model_analysis::ValidationResult;

// The version of TensorFlow Model Analysis whose files these are.
constexpr char kTfmaVersion[] = "0.52.0";

tensorflow_model_analysis::SliceKey ToProto(const SliceKey& key) {
  tensorflow_model_analysis::SliceKey proto;
  for (const SliceValue& part : key) {
    auto& single = *proto.add_single_slice_keys();
    single.set_column(part.feature);
    if (const auto* bytes = std::get_if<std::string>(&part.value)) {
      single.set_bytes_value(*bytes);
    } else if (const auto* integer = std::get_if<int64_t>(&part.value)) {
      single.set_int64_value(*integer);
    } else {
      single.set_float_value(std::get<float>(part.value));
    }
  }
  return proto;
}

// "recall/Adelie" is `recall` of the class that is called so.
MetricKey ToKey(const std::string& metric, const ModelMetrics& model,
                bool is_only_model) {
  MetricKey key;
  if (!is_only_model) key.set_model_name(model.name);
  const std::vector<std::string> parts =
      absl::StrSplit(metric, absl::MaxSplits('/', 1));
  key.set_name(parts[0]);
  if (parts.size() == 1) return key;
  const auto found =
      std::find(model.classes.begin(), model.classes.end(), parts[1]);
  const int class_id = found == model.classes.end()
                           ? std::stoi(parts[1])
                           : static_cast<int>(found - model.classes.begin());
  key.mutable_sub_key()->mutable_class_id()->set_value(class_id);
  return key;
}

void AddMetric(MetricKey key, double value, MetricsForSlice& slice) {
  auto& metric = *slice.add_metric_keys_and_values();
  *metric.mutable_key() = std::move(key);
  metric.mutable_value()->mutable_double_value()->set_value(value);
}

const SliceMetrics* FindSlice(const ModelMetrics& model, const SliceKey& key) {
  const auto found = std::find_if(
      model.slices.begin(), model.slices.end(),
      [&](const SliceMetrics& slice) { return slice.slice == key; });
  return found == model.slices.end() ? nullptr : &*found;
}

void AddModel(const SliceKey& key, const ModelMetrics& model,
              bool is_only_model, MetricsForSlice& slice) {
  const SliceMetrics* measured = FindSlice(model, key);
  if (measured == nullptr) return;
  for (const auto& [name, value] : measured->metrics) {
    AddMetric(ToKey(name, model, is_only_model), value, slice);
  }
}

// What the candidate has over the baseline.
void AddDifferences(const SliceKey& key, const ModelMetrics& candidate,
                    const ModelMetrics& baseline, MetricsForSlice& slice) {
  const SliceMetrics* now = FindSlice(candidate, key);
  const SliceMetrics* before = FindSlice(baseline, key);
  if (now == nullptr || before == nullptr) return;
  for (const auto& [name, value] : now->metrics) {
    const auto old = before->metrics.find(name);
    if (old == before->metrics.end()) continue;
    MetricKey metric = ToKey(name, candidate, /*is_only_model=*/false);
    metric.set_is_diff(true);
    AddMetric(std::move(metric), value - old->second, slice);
  }
}

ValidationFailure ToFailure(const BoundCheck& check,
                            const Evaluation& evaluation) {
  ValidationFailure failure;
  MetricKey& key = *failure.mutable_metric_key();
  key = ToKey(check.bound.metric, evaluation.models.front(),
              evaluation.models.size() == 1);
  key.set_is_diff(check.bound.is_comparison());
  *failure.mutable_metric_threshold() = ToProto(check.bound);
  if (check.value.has_value()) {
    failure.mutable_metric_value()->mutable_double_value()->set_value(
        *check.value);
  }
  failure.set_message(check.ToString());
  return failure;
}

// The failures of one slice.
MetricsValidationForSlice& ForSlice(const SliceKey& key,
                                    ValidationResult& result) {
  const auto proto = ToProto(key);
  for (auto& slice : *result.mutable_metric_validations_per_slice()) {
    if (slice.slice_key().SerializeAsString() == proto.SerializeAsString()) {
      return slice;
    }
  }
  auto& added = *result.add_metric_validations_per_slice();
  *added.mutable_slice_key() = proto;
  return added;
}

void CountSlice(const Bound& bound, ValidationResult& result) {
  const auto spec = ToProto(bound.slices.value_or(SliceSpec{}));
  auto& details =
      *result.mutable_validation_details()->mutable_slicing_details();
  for (auto& detail : details) {
    if (detail.slicing_spec().SerializeAsString() == spec.SerializeAsString()) {
      detail.set_num_matching_slices(detail.num_matching_slices() + 1);
      return;
    }
  }
  auto& added = *details.Add();
  *added.mutable_slicing_spec() = spec;
  added.set_num_matching_slices(1);
}

absl::Status WriteEvalConfig(const Evaluation& evaluation,
                             const std::string& folder) {
  EvalRun run;
  *run.mutable_eval_config() = evaluation.config;
  run.set_version(kTfmaVersion);
  run.set_data_location(evaluation.data_location);
  run.set_file_format("tfrecords_gzip");
  run.mutable_model_locations()->insert(evaluation.model_locations.begin(),
                                        evaluation.model_locations.end());
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string json;
  const auto printed =
      google::protobuf::util::MessageToJsonString(run, &json, options);
  if (!printed.ok()) return absl::InternalError(printed.ToString());
  return WriteFileAtomically(JoinPath(folder, "eval_config.json"), json);
}

template <typename Message>
absl::Status WriteRecords(const std::vector<Message>& messages,
                          const std::string& path) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<TfRecordWriter> writer,
                      OpenTfRecordWriter(path, TfRecordCompression::kNone));
  for (const Message& message : messages) {
    RK_RETURN_IF_ERROR(writer->Write(message.SerializeAsString()));
  }
  return writer->Close();
}

std::string VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBlessed:
      return "blessed";
    case Verdict::kNotBlessed:
      return "not blessed";
    case Verdict::kNotJudged:
      return "not judged";
  }
  return "";
}

// As the answer of the process that measured, and what was made of it.
absl::Status WriteForPeople(const Evaluation& evaluation,
                            const std::string& folder) {
  EvaluationOutput measured;
  measured.models = evaluation.models;
  nlohmann::json json = {{"models", ToJson(measured)["models"]},
                         {"verdict", VerdictName(evaluation.judgement.verdict)},
                         {"reason", evaluation.judgement.reason}};
  return WriteFileAtomically(
      JoinPath(folder, "metrics.json"),
      json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
          "\n");
}

}  // namespace

std::vector<MetricsForSlice> MetricsBySlice(
    const std::vector<ModelMetrics>& models) {
  std::vector<MetricsForSlice> slices;
  for (const SliceMetrics& measured : models.front().slices) {
    MetricsForSlice& slice = slices.emplace_back();
    *slice.mutable_slice_key() = ToProto(measured.slice);
    for (const ModelMetrics& model : models) {
      AddModel(measured.slice, model, models.size() == 1, slice);
    }
    if (models.size() == 2) {
      AddDifferences(measured.slice, models[0], models[1], slice);
    }
  }
  return slices;
}

ValidationResult ToValidationResult(const Evaluation& evaluation) {
  const Judgement& judgement = evaluation.judgement;
  ValidationResult result;
  result.set_validation_ok(judgement.verdict == Verdict::kBlessed);
  result.set_missing_thresholds(judgement.verdict == Verdict::kNotJudged);
  result.set_rubber_stamp(judgement.rubber_stamp);
  for (const BoundCheck& check : judgement.checks) {
    CountSlice(check.bound, result);
    if (check.kept) continue;
    *ForSlice(check.slice, result).add_failures() =
        ToFailure(check, evaluation);
  }
  for (const Bound& bound : judgement.without_slice) {
    *result.add_missing_slices() = ToProto(*bound.slices);
  }
  return result;
}

absl::Status WriteEvaluation(const Evaluation& evaluation,
                             const std::string& folder) {
  RK_RETURN_IF_ERROR(WriteEvalConfig(evaluation, folder));
  RK_RETURN_IF_ERROR(
      WriteRecords(MetricsBySlice(evaluation.models),
                   JoinPath(folder, "metrics-00000-of-00001.tfrecord")));
  RK_RETURN_IF_ERROR(
      WriteRecords<ValidationResult>({ToValidationResult(evaluation)},
                                     JoinPath(folder, "validations.tfrecord")));
  return WriteForPeople(evaluation, folder);
}

}  // namespace rekindle
