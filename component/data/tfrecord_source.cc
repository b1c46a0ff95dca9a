#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/data/deterministic_bytes.h"
#include "component/data/example_source.h"
#include "component/data/input_files.h"
#include "component/data/read_progress.h"
#include "component/records/tfrecord_reader.h"
#include "tensorflow/core/example/example.pb.h"
#include "tensorflow/core/example/feature.pb.h"

namespace rekindle {
namespace {

class TfRecordSource final : public ExampleSource {
 public:
  TfRecordSource(InputFiles input, ExampleSourceOptions options)
      : input_(std::move(input)), options_(std::move(options)) {}

  absl::Status Read(const Sink& sink) override {
    ReadProgress progress(input_.AllFiles(), /*passes=*/1,
                          options_.on_progress);
    for (size_t split = 0; split < input_.splits.size(); ++split) {
      for (const std::string& file : input_.splits[split].files) {
        RK_RETURN_IF_ERROR(ReadFile(file, split, progress, sink));
      }
    }
    if (progress.items() > 0) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(input_.AllFiles().front(), " holds no records"));
  }

 private:
  absl::Status ReadFile(const std::string& file, size_t split,
                        ReadProgress& progress, const Sink& sink) {
    RK_ASSIGN_OR_RETURN(const auto reader, OpenTfRecordReader(file));
    while (true) {
      const auto offset = static_cast<int64_t>(reader->offset());
      RK_ASSIGN_OR_RETURN(const std::optional<absl::string_view> record,
                          reader->Next());
      if (!record.has_value()) break;
      const absl::Status used = Use(*record, split, sink);
      if (absl::IsInvalidArgument(used)) {
        return WithContext(used,
                           absl::StrCat(file, ": record at offset ", offset));
      }
      RK_RETURN_IF_ERROR(used);
      RK_RETURN_IF_ERROR(progress.Read(offset));
    }
    progress.EndFile(static_cast<int64_t>(reader->offset()));
    return absl::OkStatus();
  }

  absl::Status Use(absl::string_view record, size_t split, const Sink& sink) {
    if (record.empty()) {
      return absl::InvalidArgumentError(
          "it is empty, an example without any feature; leave it out");
    }
    tensorflow::Example example;
    if (!example.ParseFromArray(record.data(),
                                static_cast<int>(record.size()))) {
      return absl::InvalidArgumentError("this is no tf.Example");
    }
    const std::string bytes = SerializeDeterministically(example);
    if (options_.partition_feature.empty()) return sink({split, bytes, bytes});
    RK_ASSIGN_OR_RETURN(const std::string key, FeatureKey(example));
    return sink({split, bytes, key});
  }

  absl::StatusOr<std::string> FeatureKey(
      const tensorflow::Example& example) const {
    const std::string& name = options_.partition_feature;
    const auto& features = example.features().feature();
    const auto found = features.find(name);
    if (found == features.end() ||
        found->second.kind_case() == tensorflow::Feature::KIND_NOT_SET) {
      return absl::InvalidArgumentError(
          absl::StrCat("feature '", name,
                       "' has no value, by which examples are partitioned"));
    }
    if (found->second.has_float_list()) {
      return absl::InvalidArgumentError(
          absl::StrCat("feature '", name,
                       "' holds fractions; examples are "
                       "partitioned by whole numbers or bytes"));
    }
    return SerializeDeterministically(found->second);
  }

  const InputFiles input_;
  const ExampleSourceOptions options_;
};

}  // namespace

std::unique_ptr<ExampleSource> MakeTfRecordSource(
    InputFiles input, ExampleSourceOptions options) {
  return std::make_unique<TfRecordSource>(std::move(input), std::move(options));
}

}  // namespace rekindle
