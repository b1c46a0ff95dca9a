#include "component/modules/make_fn_args.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/io/file_pattern.h"
#include "component/records/tfrecord_reader.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

// An object as text; nothing for null.
std::string JsonText(const nlohmann::json& json) {
  return json.is_null() ? "" : json.dump();
}

absl::Status ReadFile(const std::string& path, const RecordVisitor& visit) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<TfRecordReader> reader,
                      OpenTfRecordReader(path));
  while (true) {
    RK_ASSIGN_OR_RETURN(const std::optional<absl::string_view> record,
                        reader->Next());
    if (!record.has_value()) return absl::OkStatus();
    RK_RETURN_IF_ERROR(visit(*record));
  }
}

absl::Status ReadRecords(const std::vector<std::string>& patterns,
                         const RecordVisitor& visit) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                      ExpandPatterns(patterns));
  for (const std::string& file : files) {
    RK_RETURN_IF_ERROR(ReadFile(file, visit));
  }
  return absl::OkStatus();
}

}  // namespace

FnArgs MakeFnArgs(const ExecutorInput& input,
                  std::function<bool()> should_stop) {
  FnArgs args;
  args.train_files = input.train_files;
  args.eval_files = input.eval_files;
  args.train_steps = input.train_steps;
  args.eval_steps = input.eval_steps;
  args.schema_path = args.schema_file = input.schema_path;
  args.transform_graph_path = args.transform_output =
      input.transform_graph_path;
  args.data_accessor.read_records = ReadRecords;
  args.serving_model_dir = input.serving_model_dir;
  args.eval_model_dir = input.eval_model_dir;
  args.model_run_dir = input.model_run_dir;
  args.base_model = input.base_model;
  args.hyperparameters = JsonText(input.hyperparameters);
  args.custom_config = JsonText(input.custom_config);
  args.should_stop = std::move(should_stop);
  return args;
}

}  // namespace rekindle
