#include "component/steps/statistics_gen.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/steps/proto_json.h"
#include "component/steps/split_statistics.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

constexpr char kExamplesKey[] = "examples";
constexpr char kStatisticsKey[] = "statistics";

// TFX declares a span of examples and writes it as a custom property.
int64_t SpanOf(const ml_metadata::Artifact& examples) {
  const auto declared = examples.properties().find("span");
  if (declared != examples.properties().end()) {
    return declared->second.int_value();
  }
  return CustomInt(examples, "span").value_or(0);
}

// What TFX's JsonValue property holds of `{"train": 1.0}`: a Struct whose one
// field is that text.
ml_metadata::Value SampleRates(const std::vector<std::string>& splits) {
  std::map<std::string, double> rates;
  for (const std::string& split : splits) rates[split] = 1.0;
  ml_metadata::Value value;
  (*value.mutable_struct_value()->mutable_fields())["__value__"]
      .set_string_value(ToPythonJson(rates));
  return value;
}

class StatisticsGen : public Executor {
 public:
  explicit StatisticsGen(std::vector<std::string> exclude_splits)
      : exclude_splits_(std::move(exclude_splits)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    const ml_metadata::Artifact& examples = *context.FindInput(kExamplesKey);
    RK_ASSIGN_OR_RETURN(const std::vector<std::string> splits,
                        SplitsWithout(examples, exclude_splits_));
    RK_ASSIGN_OR_RETURN(
        const std::vector<SplitStatistics> all,
        ComputeStatistics(examples, splits, context.check_stop));
    StepResult result;
    StepResult::Output& output = result.outputs[kStatisticsKey];
    for (const SplitStatistics& statistics : all) {
      RK_RETURN_IF_ERROR(
          WriteStatistics(statistics, context.output_dirs.at(kStatisticsKey)));
    }
    output.properties["split_names"] = StringValue(ToPythonJson(splits));
    output.properties["span"] = IntValue(SpanOf(examples));
    output.custom_properties["stats_dashboard_link"] = StringValue("");
    output.custom_properties["sample_rate_by_split"] = SampleRates(splits);
    return result;
  }

 private:
  const std::vector<std::string> exclude_splits_;
};

}  // namespace

std::unique_ptr<Executor> MakeStatisticsGen(const StatisticsGenOptions& options,
                                            StepSpec& spec) {
  spec.execution_type = StatisticsGenType();
  spec.inputs = {{kExamplesKey, "Examples", options.examples, true,
                  /*single=*/true}};
  spec.outputs = {{kStatisticsKey, ExampleStatisticsType()}};
  spec.parameters = {
      {"exclude_splits", StringValue(ToPythonJson(options.exclude_splits))}};
  return std::make_unique<StatisticsGen>(options.exclude_splits);
}

}  // namespace rekindle
