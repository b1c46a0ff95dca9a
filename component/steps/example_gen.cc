#include "component/steps/example_gen.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/cache/content_digest.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/records/tfrecord_writer.h"
#include "component/steps/csv_columns.h"
#include "component/steps/csv_reader.h"
#include "component/steps/proto_json.h"
#include "metadata/api/values.h"
#include "tensorflow/core/example/example.pb.h"
#include "tfx/example_gen.pb.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;
namespace tfx_gen = tfx::components::example_gen;

constexpr char kOutputKey[] = "examples";
constexpr char kShard[] = "data_tfrecord-00000-of-00001.gz";
// How often a long conversion asks whether it must stop.
constexpr int64_t kRowsBetweenChecks = 10'000;

// The splits, and each one's share of the hash buckets.
struct Split {
  const char* name;
  int buckets;
};
constexpr std::array<Split, 2> kSplits = {{{"train", 2}, {"eval", 1}}};

// What TFX calls the input's fingerprint: changes when a file is added,
// removed, resized or touched.
std::string InputFingerprint(const std::vector<std::string>& files) {
  int64_t total_bytes = 0;
  int64_t xor_checksum = 0;
  int64_t sum_checksum = 0;
  for (const std::string& file : files) {
    struct stat info = {};
    stat(file.c_str(), &info);
    total_bytes += info.st_size;
    xor_checksum ^= info.st_mtim.tv_sec;
    sum_checksum += info.st_mtim.tv_sec;
  }
  return absl::StrCat("split:single_split,num_files:", files.size(),
                      ",total_bytes:", total_bytes,
                      ",xor_checksum:", xor_checksum,
                      ",sum_checksum:", sum_checksum);
}

absl::StatusOr<std::vector<std::string>> ListCsvFiles(
    const std::string& input) {
  std::error_code error;
  const fs::file_status status = fs::status(input, error);
  if (!fs::exists(status)) {
    return absl::NotFoundError(
        absl::StrCat("there is no file or folder ", input,
                     "; --input takes a CSV file or a folder of them"));
  }
  if (!fs::is_directory(status)) return std::vector<std::string>{input};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(input, error)) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  }
  if (files.empty()) {
    return absl::NotFoundError(
        absl::StrCat("there is no .csv file in ", input));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The bucket of a row, by the SHA-256 of its cells.
int BucketOf(const std::vector<std::string>& fields, int buckets) {
  Sha256 hash;
  for (const std::string& field : fields) hash.UpdateField(field);
  return static_cast<int>(
      std::stoull(hash.HexDigest().substr(0, 15), nullptr, 16) % buckets);
}

size_t SplitOf(const std::vector<std::string>& fields) {
  int total = 0;
  for (const Split& split : kSplits) total += split.buckets;
  int bucket = BucketOf(fields, total);
  size_t index = 0;
  while (bucket >= kSplits[index].buckets) bucket -= kSplits[index++].buckets;
  return index;
}

class ExampleGen : public Executor {
 public:
  ExampleGen(std::vector<std::string> files, std::set<std::string> null_values)
      : files_(std::move(files)), null_values_(std::move(null_values)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    RK_ASSIGN_OR_RETURN(const CsvColumns columns, LearnColumns(context));
    RK_ASSIGN_OR_RETURN(
        const auto counts,
        WriteSplits(columns, context.output_dirs.at(kOutputKey), context));
    StepResult result;
    StepResult::Output& output = result.outputs[kOutputKey];
    output.properties["split_names"] = StringValue(SplitNamesJson());
    output.custom_properties["span"] = IntValue(0);
    output.custom_properties["input_fingerprint"] =
        StringValue(InputFingerprint(files_));
    output.custom_properties["payload_format"] =
        StringValue("FORMAT_TF_EXAMPLE");
    output.custom_properties["file_format"] = StringValue("tfrecords_gzip");
    for (size_t i = 0; i < kSplits.size(); ++i) {
      output.custom_properties[absl::StrCat("num_examples.", kSplits[i].name)] =
          IntValue(counts[i]);
    }
    return result;
  }

 private:
  using Counts = std::array<int64_t, kSplits.size()>;

  static std::string SplitNamesJson() {
    std::vector<std::string> names;
    names.reserve(kSplits.size());
    for (const Split& split : kSplits) names.emplace_back(split.name);
    return ToPythonJson(names);
  }

  // Calls `start(header)` once and then `use(fields)` for every row of every
  // file. All files must have the header of the first.
  template <typename Start, typename Use>
  absl::Status ForEachRow(const StepContext& context, const Start& start,
                          const Use& use) const {
    int64_t rows = 0;
    std::vector<std::string> first_header;
    std::vector<std::string> fields;
    for (const std::string& file : files_) {
      RK_ASSIGN_OR_RETURN(const std::string content, ReadFile(file));
      CsvReader reader(file, content);
      RK_ASSIGN_OR_RETURN(std::vector<std::string> header, reader.ReadHeader());
      if (&file == &files_.front()) {
        first_header = header;
        start(header);
      } else if (header != first_header) {
        return absl::InvalidArgumentError(
            absl::StrCat(file, ":1: its header differs from the header of ",
                         files_.front()));
      }
      while (true) {
        RK_ASSIGN_OR_RETURN(const bool found, reader.ReadRow(fields));
        if (!found) break;
        RK_RETURN_IF_ERROR(use(fields));
        if (++rows % kRowsBetweenChecks == 0) {
          RK_RETURN_IF_ERROR(context.check_stop());
        }
      }
    }
    if (rows == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(files_.front(), " has a header but no rows"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<CsvColumns> LearnColumns(const StepContext& context) const {
    std::optional<CsvColumns> columns;
    RK_RETURN_IF_ERROR(ForEachRow(
        context,
        [&](const std::vector<std::string>& header) {
          columns.emplace(header, null_values_);
        },
        [&](const std::vector<std::string>& fields) {
          columns->Learn(fields);
          return absl::OkStatus();
        }));
    return *std::move(columns);
  }

  absl::StatusOr<Counts> WriteSplits(const CsvColumns& columns,
                                     const std::string& folder,
                                     const StepContext& context) const {
    std::array<std::unique_ptr<TfRecordWriter>, kSplits.size()> writers;
    for (size_t i = 0; i < kSplits.size(); ++i) {
      const std::string split =
          JoinPath(folder, absl::StrCat("Split-", kSplits[i].name));
      RK_RETURN_IF_ERROR(MakeDirs(split));
      RK_ASSIGN_OR_RETURN(writers[i],
                          OpenTfRecordWriter(JoinPath(split, kShard),
                                             TfRecordCompression::kGzip));
    }
    Counts counts = {};
    RK_RETURN_IF_ERROR(ForEachRow(
        context, [](const std::vector<std::string>&) {},
        [&](const std::vector<std::string>& fields) {
          const size_t split = SplitOf(fields);
          ++counts[split];
          return writers[split]->Write(
              SerializeDeterministically(columns.ToExample(fields)));
        }));
    for (const auto& writer : writers) RK_RETURN_IF_ERROR(writer->Close());
    return counts;
  }

  const std::vector<std::string> files_;
  const std::set<std::string> null_values_;
};

tfx_gen::Input InputConfig(const std::string& pattern) {
  tfx_gen::Input config;
  auto& split = *config.add_splits();
  split.set_name("single_split");
  split.set_pattern(pattern);
  return config;
}

tfx_gen::Output OutputConfig() {
  tfx_gen::Output config;
  for (const Split& split : kSplits) {
    auto& added = *config.mutable_split_config()->add_splits();
    added.set_name(split.name);
    added.set_hash_buckets(split.buckets);
  }
  return config;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> MakeExampleGen(
    const ExampleGenOptions& options, StepSpec& spec) {
  RK_ASSIGN_OR_RETURN(std::vector<std::string> files,
                      ListCsvFiles(options.input));
  const fs::path input = fs::absolute(options.input);
  const bool is_folder = fs::is_directory(input);

  spec.execution_type = CsvExampleGenType();
  spec.outputs = {{kOutputKey, ExamplesType()}};
  spec.parameters = {
      {"input_base",
       StringValue((is_folder ? input : input.parent_path()).string())},
      {"input_config", StringValue(ToIndentedJson(InputConfig(
                           is_folder ? "*" : input.filename().string())))},
      {"output_config", StringValue(ToIndentedJson(OutputConfig()))},
      {"output_data_format", IntValue(tfx_gen::FORMAT_TF_EXAMPLE)},
      {"output_file_format", IntValue(tfx_gen::FORMAT_TFRECORDS_GZIP)},
      {"span", IntValue(0)},
      {"input_fingerprint", StringValue(InputFingerprint(files))},
  };
  if (!options.null_values.empty()) {
    spec.parameters["null_values"] =
        StringValue(ToPythonJson(options.null_values));
  }
  // What the files hold decides, not where they are or when they were written.
  spec.key_fields = {{"data", ContentDigest(files)}};
  spec.immaterial_parameters = {"input_base", "input_config",
                                "input_fingerprint"};
  return std::make_unique<ExampleGen>(
      std::move(files), std::set<std::string>(options.null_values.begin(),
                                              options.null_values.end()));
}

}  // namespace rekindle
