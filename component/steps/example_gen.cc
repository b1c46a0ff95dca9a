#include "component/steps/example_gen.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/cache/content_digest.h"
#include "component/data/example_source.h"
#include "component/data/input_files.h"
#include "component/data/input_format.h"
#include "component/data/partition.h"
#include "component/data/record_files.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/steps/proto_json.h"
#include "component/steps/splits.h"
#include "metadata/api/values.h"
#include "tfx/example_gen.pb.h"
#include "tfx/range_config.pb.h"

namespace rekindle {
namespace {

namespace tfx_gen = tfx::components::example_gen;

constexpr char kOutputKey[] = "examples";
constexpr char kShard[] = "data_tfrecord-00000-of-00001.gz";

// The options, understood: what is read, and the splits that it goes to.
struct Plan {
  InputFiles input;
  InputFormat format = InputFormat::kCsv;
  std::vector<SplitShare> shares;  // empty: the splits of the input stay
  std::vector<std::string> split_names;
};

class ExampleGen : public Executor {
 public:
  ExampleGen(Plan plan, ExampleGenOptions options)
      : plan_(std::move(plan)), options_(std::move(options)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    RK_ASSIGN_OR_RETURN(const std::unique_ptr<RecordFiles> files,
                        OpenFiles(context.output_dirs.at(kOutputKey)));
    const absl::Cleanup tell_end = [this] { TellProgress(0, 0); };
    std::vector<int64_t> counts(plan_.split_names.size());
    std::optional<Partition> partition;
    if (!plan_.shares.empty()) partition.emplace(plan_.shares);
    RK_RETURN_IF_ERROR(
        MakeSource(context)->Read([&](const SourcedExample& example) {
          const size_t split = partition.has_value()
                                   ? partition->SplitOf(example.partition_key)
                                   : example.input_split;
          ++counts[split];
          return files->Write(split, example.record);
        }));
    RK_RETURN_IF_ERROR(files->Close());
    return Describe(counts);
  }

 private:
  absl::StatusOr<std::unique_ptr<RecordFiles>> OpenFiles(
      const std::string& folder) const {
    std::vector<std::string> paths;
    for (const std::string& name : plan_.split_names) {
      const std::string split = JoinPath(folder, absl::StrCat("Split-", name));
      RK_RETURN_IF_ERROR(MakeDirs(split));
      paths.push_back(JoinPath(split, kShard));
    }
    return RecordFiles::Open(paths,
                             std::max(1U, std::thread::hardware_concurrency()));
  }

  std::unique_ptr<ExampleSource> MakeSource(const StepContext& context) const {
    ExampleSourceOptions options;
    options.null_values = {options_.null_values.begin(),
                           options_.null_values.end()};
    options.partition_feature = options_.partition_feature;
    options.on_progress = [this, &context](int64_t done, int64_t total) {
      TellProgress(done, total);
      return context.check_stop();
    };
    return plan_.format == InputFormat::kCsv
               ? MakeCsvSource(plan_.input, std::move(options))
               : MakeTfRecordSource(plan_.input, std::move(options));
  }

  void TellProgress(int64_t done, int64_t total) const {
    if (options_.on_progress != nullptr) options_.on_progress(done, total);
  }

  StepResult Describe(const std::vector<int64_t>& counts) const {
    StepResult result;
    StepResult::Output& output = result.outputs[kOutputKey];
    output.properties["split_names"] =
        StringValue(ToPythonJson(plan_.split_names));
    PropertyMap& custom = output.custom_properties;
    custom["span"] = IntValue(plan_.input.chosen.span);
    if (plan_.input.chosen.version.has_value()) {
      custom["version"] = IntValue(*plan_.input.chosen.version);
    }
    custom["input_fingerprint"] = StringValue(plan_.input.Fingerprint());
    custom["payload_format"] = StringValue("FORMAT_TF_EXAMPLE");
    custom["file_format"] = StringValue("tfrecords_gzip");
    for (size_t i = 0; i < counts.size(); ++i) {
      custom[absl::StrCat("num_examples.", plan_.split_names[i])] =
          IntValue(counts[i]);
    }
    return result;
  }

  const Plan plan_;
  const ExampleGenOptions options_;
};

// Split names name folders, each its own.
absl::Status CheckSplitNames(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty() || !IsSplitName(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", name,
                       "' cannot be the name of a split; it has "
                       "letters, digits, '_' and '-'"));
    }
    if (!seen.insert(name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two splits are called '", name, "'"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SplitShare>> CheckShares(
    const std::vector<SplitShare>& shares) {
  uint64_t sum = 0;
  for (const SplitShare& share : shares) {
    if (share.hash_buckets == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("split '", share.name,
                       "' has a share of 0; it must be "
                       "a whole number from 1 on"));
    }
    sum += share.hash_buckets;
  }
  if (sum > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the shares of the splits come to ", sum, "; smaller ones will do"));
  }
  return shares;
}

absl::StatusOr<Plan> MakePlan(const ExampleGenOptions& options) {
  Plan plan;
  const bool is_split = !options.input_splits.empty();
  if (is_split && !options.splits.empty()) {
    return absl::InvalidArgumentError(
        "the input is split already (--input-split); --split would divide it "
        "again");
  }
  if (is_split && !options.partition_feature.empty()) {
    return absl::InvalidArgumentError(
        "the input is split already (--input-split); there is nothing to "
        "partition by a feature");
  }
  if (is_split) {
    RK_ASSIGN_OR_RETURN(
        plan.input,
        FindInputFiles(options.input, options.input_splits, options.span));
    for (const InputSplit& split : plan.input.splits) {
      plan.split_names.push_back(split.name);
    }
  } else {
    RK_ASSIGN_OR_RETURN(plan.input,
                        FindInputFiles(options.input, options.span));
    RK_ASSIGN_OR_RETURN(plan.shares, CheckShares(options.splits));
    if (plan.shares.empty()) plan.shares = {{"train", 2}, {"eval", 1}};
    for (const SplitShare& share : plan.shares) {
      plan.split_names.push_back(share.name);
    }
  }
  RK_RETURN_IF_ERROR(CheckSplitNames(plan.split_names));
  RK_ASSIGN_OR_RETURN(plan.format, ChooseFormat(options.format, plan.input));
  return plan;
}

tfx_gen::Input InputConfig(const InputFiles& input) {
  tfx_gen::Input config;
  for (const InputSplit& split : input.splits) {
    auto& added = *config.add_splits();
    added.set_name(split.name);
    added.set_pattern(split.pattern);
  }
  return config;
}

tfx_gen::Output OutputConfig(const Plan& plan,
                             const std::string& partition_feature) {
  tfx_gen::Output config;
  for (const SplitShare& share : plan.shares) {
    auto& added = *config.mutable_split_config()->add_splits();
    added.set_name(share.name);
    added.set_hash_buckets(share.hash_buckets);
  }
  if (!partition_feature.empty()) {
    config.mutable_split_config()->set_partition_feature_name(
        partition_feature);
  }
  return config;
}

// What TFX records of a span that was asked for by its number.
std::string RangeConfig(int64_t span) {
  tfx::configs::RangeConfig config;
  auto& range = *config.mutable_static_range();
  range.set_start_span_number(static_cast<int32_t>(span));
  range.set_end_span_number(static_cast<int32_t>(span));
  return ToIndentedJson(config);
}

PropertyMap Parameters(const Plan& plan, const ExampleGenOptions& options) {
  const InputFiles& input = plan.input;
  PropertyMap parameters = {
      {"input_base", StringValue(input.base)},
      {"input_config", StringValue(ToIndentedJson(InputConfig(input)))},
      {"output_config", StringValue(ToIndentedJson(
                            OutputConfig(plan, options.partition_feature)))},
      {"output_data_format", IntValue(tfx_gen::FORMAT_TF_EXAMPLE)},
      {"output_file_format", IntValue(tfx_gen::FORMAT_TFRECORDS_GZIP)},
      {"span", IntValue(input.chosen.span)},
      {"input_fingerprint", StringValue(input.Fingerprint())},
  };
  if (input.chosen.version.has_value()) {
    parameters["version"] = IntValue(*input.chosen.version);
  }
  if (options.span.span.has_value()) {
    parameters["range_config"] = StringValue(RangeConfig(*options.span.span));
  }
  if (!options.null_values.empty()) {
    parameters["null_values"] = StringValue(ToPythonJson(options.null_values));
  }
  return parameters;
}

// What the files hold decides, not where they are or when they were written;
// and of a split input, which files are of which split.
std::map<std::string, std::string> KeyFields(const Plan& plan,
                                             WatchedFiles& watched) {
  std::map<std::string, std::string> fields;
  for (const InputSplit& split : plan.input.splits) {
    const std::string name =
        plan.shares.empty() ? absl::StrCat("data.", split.name) : "data";
    fields[name] = ContentDigest(split.files, watched);
  }
  return fields;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> MakeExampleGen(
    const ExampleGenOptions& options, StepSpec& spec) {
  RK_ASSIGN_OR_RETURN(Plan plan, MakePlan(options));
  const bool is_csv = plan.format == InputFormat::kCsv;
  if (spec.node_id.empty()) {
    spec.node_id = is_csv ? "CsvExampleGen" : "ImportExampleGen";
  }
  spec.execution_type = is_csv ? CsvExampleGenType() : ImportExampleGenType();
  spec.outputs = {{kOutputKey, ExamplesType()}};
  spec.parameters = Parameters(plan, options);
  spec.key_fields = KeyFields(plan, spec.watched);
  spec.immaterial_parameters = {"input_base", "input_config",
                                "input_fingerprint", "range_config"};
  // 2: rows are in the splits where TFX has them.
  spec.component_version = "2";
  return std::make_unique<ExampleGen>(std::move(plan), options);
}

}  // namespace rekindle
