#include "component/steps/schema_gen.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/data/schema_inference.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/steps/proto_json.h"
#include "component/steps/split_statistics.h"
#include "google/protobuf/text_format.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "tensorflow_metadata/proto/v0/schema.pb.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;

constexpr char kExamplesKey[] = "examples";
constexpr char kStatisticsKey[] = "statistics";
constexpr char kSchemaKey[] = "schema";
constexpr char kSchemaFile[] = "schema.pbtxt";

class SchemaGen : public Executor {
 public:
  SchemaGen(SchemaInferenceOptions inference,
            std::vector<std::string> exclude_splits)
      : inference_(inference), exclude_splits_(std::move(exclude_splits)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    const ml_metadata::Artifact* statistics = context.FindInput(kStatisticsKey);
    const ml_metadata::Artifact& source =
        statistics != nullptr ? *statistics : *context.FindInput(kExamplesKey);
    RK_ASSIGN_OR_RETURN(const std::vector<std::string> splits,
                        SplitsWithout(source, exclude_splits_));
    RK_ASSIGN_OR_RETURN(const auto known,
                        statistics != nullptr
                            ? ReadAll(source, splits)
                            : ComputeAll(source, splits, context));
    const absl::StatusOr<tfmd::Schema> schema = InferSchema(known, inference_);
    if (!schema.ok()) {
      return WithContext(schema.status(), absl::StrCat("artifact ", source.id(),
                                                       " at ", source.uri()));
    }
    std::string text;
    google::protobuf::TextFormat::PrintToString(*schema, &text);
    RK_RETURN_IF_ERROR(WriteFileAtomically(
        JoinPath(context.output_dirs.at(kSchemaKey), kSchemaFile), text));
    return StepResult{};
  }

 private:
  using AllStatistics = std::vector<tfmd::DatasetFeatureStatistics>;

  static absl::StatusOr<AllStatistics> ReadAll(
      const ml_metadata::Artifact& statistics,
      const std::vector<std::string>& splits) {
    AllStatistics all;
    for (const std::string& split : splits) {
      RK_ASSIGN_OR_RETURN(SplitStatistics one,
                          ReadStatistics(statistics, split));
      all.push_back(std::move(one.statistics));
    }
    return all;
  }

  static absl::StatusOr<AllStatistics> ComputeAll(
      const ml_metadata::Artifact& examples,
      const std::vector<std::string>& splits, const StepContext& context) {
    RK_ASSIGN_OR_RETURN(
        std::vector<SplitStatistics> computed,
        ComputeStatistics(examples, splits, context.check_stop));
    AllStatistics all;
    for (SplitStatistics& one : computed) {
      all.push_back(std::move(one.statistics));
    }
    return all;
  }

  const SchemaInferenceOptions inference_;
  const std::vector<std::string> exclude_splits_;
};

}  // namespace

std::unique_ptr<Executor> MakeSchemaGen(const SchemaGenOptions& options,
                                        StepSpec& spec) {
  spec.execution_type = SchemaGenType();
  if (options.statistics.has_value()) {
    spec.inputs = {{kStatisticsKey, "ExampleStatistics", *options.statistics,
                    true, /*single=*/true}};
  } else {
    spec.inputs = {{kExamplesKey, "Examples", options.examples, true,
                    /*single=*/true}};
  }
  spec.outputs = {{kSchemaKey, SchemaType()}};
  spec.parameters = {
      {"infer_feature_shape", IntValue(options.infer_feature_shape ? 1 : 0)},
      {"exclude_splits", StringValue(ToPythonJson(options.exclude_splits))}};
  // 2: TFDV's rules for numbers of values, for yes and no, and for long lists
  // of strings.
  spec.component_version = "2";
  SchemaInferenceOptions inference;
  inference.infer_feature_shape = options.infer_feature_shape;
  return std::make_unique<SchemaGen>(inference, options.exclude_splits);
}

}  // namespace rekindle
