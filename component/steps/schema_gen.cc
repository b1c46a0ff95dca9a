#include "component/steps/schema_gen.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/records/tfrecord_reader.h"
#include "component/steps/schema_inference.h"
#include "component/steps/splits.h"
#include "google/protobuf/text_format.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

constexpr char kExamplesKey[] = "examples";
constexpr char kSchemaKey[] = "schema";
constexpr char kSchemaFile[] = "schema.pbtxt";

absl::Status AddFile(const std::string& path, const StepContext& context,
                     SchemaInference& inference) {
  RK_ASSIGN_OR_RETURN(const auto reader, OpenTfRecordReader(path));
  while (true) {
    RK_ASSIGN_OR_RETURN(const std::optional<absl::string_view> record,
                        reader->Next());
    if (!record.has_value()) return absl::OkStatus();
    if (absl::Status added = inference.Add(*record); !added.ok()) {
      return WithContext(added, path);
    }
    if (inference.examples() % 10'000 == 0) {
      RK_RETURN_IF_ERROR(context.check_stop());
    }
  }
}

class SchemaGen : public Executor {
 public:
  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    const ml_metadata::Artifact& examples = *context.FindInput(kExamplesKey);
    RK_ASSIGN_OR_RETURN(const std::vector<std::string> splits,
                        SplitNames(examples));
    SchemaInference inference;
    for (const std::string& split : splits) {
      RK_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                          ListFiles(SplitDir(examples, split)));
      for (const std::string& file : files) {
        RK_RETURN_IF_ERROR(AddFile(file, context, inference));
      }
    }
    if (inference.examples() == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("artifact ", examples.id(), " at ", examples.uri(),
                       " holds no examples to infer a schema from"));
    }
    std::string text;
    google::protobuf::TextFormat::PrintToString(inference.Infer(), &text);
    RK_RETURN_IF_ERROR(WriteFileAtomically(
        JoinPath(context.output_dirs.at(kSchemaKey), kSchemaFile), text));
    return StepResult{};
  }
};

}  // namespace

std::unique_ptr<Executor> MakeSchemaGen(const SchemaGenOptions& options,
                                        StepSpec& spec) {
  spec.execution_type = SchemaGenType();
  spec.inputs = {{kExamplesKey, "Examples", options.examples}};
  spec.outputs = {{kSchemaKey, SchemaType()}};
  spec.parameters = {{"infer_feature_shape", IntValue(1)},
                     {"exclude_splits", StringValue("[]")}};
  return std::make_unique<SchemaGen>();
}

}  // namespace rekindle
