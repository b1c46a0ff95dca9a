#include "component/contract/executor_input.h"

#include <utility>

#include "base/status_macros.h"
#include "component/contract/json_fields.h"
#include "component/contract/json_file.h"

namespace rekindle {
namespace {

nlohmann::json OptionalToJson(const std::optional<int64_t>& value) {
  return value.has_value() ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace

nlohmann::json ToJson(const ExecutorInput& input) {
  return {
      {"pipeline", input.pipeline},
      {"run_id", input.run_id},
      {"node_id", input.node_id},
      {"execution_id", input.execution_id},
      {"train_files", input.train_files},
      {"eval_files", input.eval_files},
      {"train_steps", OptionalToJson(input.train_steps)},
      {"eval_steps", OptionalToJson(input.eval_steps)},
      {"schema_path", input.schema_path},
      {"transform_graph_path", input.transform_graph_path},
      {"serving_model_dir", input.serving_model_dir},
      {"eval_model_dir", input.eval_model_dir},
      {"model_run_dir", input.model_run_dir},
      {"base_model", input.base_model},
      {"hyperparameters", input.hyperparameters},
      {"custom_config", input.custom_config},
      {"num_examples", input.num_examples},
      {"deadline", input.deadline},
      {"progress_path", input.progress_path},
      {"output_path", input.output_path},
  };
}

absl::StatusOr<ExecutorInput> ExecutorInputFromJson(
    const nlohmann::json& json) {
  ExecutorInput input;
  JsonFields fields(json, "executor input");
  fields.Read("pipeline", &input.pipeline);
  fields.Read("run_id", &input.run_id);
  fields.Read("node_id", &input.node_id);
  fields.Read("execution_id", &input.execution_id);
  fields.Read("train_files", &input.train_files);
  fields.Read("eval_files", &input.eval_files);
  fields.Read("train_steps", &input.train_steps);
  fields.Read("eval_steps", &input.eval_steps);
  fields.Read("schema_path", &input.schema_path);
  fields.Read("transform_graph_path", &input.transform_graph_path);
  fields.Read("serving_model_dir", &input.serving_model_dir);
  fields.Read("eval_model_dir", &input.eval_model_dir);
  fields.Read("model_run_dir", &input.model_run_dir);
  fields.Read("base_model", &input.base_model);
  fields.ReadObject("hyperparameters", &input.hyperparameters);
  fields.ReadObject("custom_config", &input.custom_config);
  fields.ReadObject("num_examples", &input.num_examples);
  fields.Read("deadline", &input.deadline);
  fields.Read("progress_path", &input.progress_path);
  fields.Read("output_path", &input.output_path);
  RK_RETURN_IF_ERROR(fields.Finish());
  return input;
}

absl::StatusOr<ExecutorInput> ReadExecutorInput(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const nlohmann::json json, ReadJsonFile(path));
  return ExecutorInputFromJson(json);
}

absl::Status WriteExecutorInput(const ExecutorInput& input,
                                const std::string& path) {
  return WriteJsonFile(ToJson(input), path);
}

}  // namespace rekindle
