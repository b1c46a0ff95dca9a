#include "tests/component/training/training_data.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include "component/records/tfrecord_writer.h"

namespace rekindle {
namespace {

const std::vector<std::string>& Species() {
  static const auto& names =
      *new std::vector<std::string>{"adelie", "chinstrap", "gentoo"};
  return names;
}

// Test data that cannot be written is no test result.
void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << status << "\n";
  std::abort();
}

}  // namespace

tensorflow::Example MakeExample(int number) {
  std::mt19937 random(static_cast<uint32_t>(number));
  const auto noise = [&random] {
    return static_cast<float>(random() % 1000) / 1000.0f - 0.5f;
  };
  const int species = number % 3;
  tensorflow::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  features["species"].mutable_bytes_list()->add_value(Species()[species]);
  // Present but without a list, as TFX's ExampleGen writes a missing value.
  features["length"];
  if (number % 17 != 0) {
    features["length"].mutable_float_list()->add_value(
        40.0f + 4.0f * static_cast<float>(species) + noise());
  }
  if (number % 19 != 0) {
    features["mass"].mutable_int64_list()->add_value(
        static_cast<int64_t>(4000.0f + 300.0f * noise()) +
        int64_t{500} * species);
  }
  auto* island = features["island"].mutable_bytes_list();
  if (number % 13 == 0) {
    island->add_value("atlantis");  // not in the vocabulary
  } else if (number % 23 != 0) {
    island->add_value(species == 2 ? "biscoe" : "dream");
  }
  features["comment"].mutable_bytes_list()->add_value("none");
  return example;
}

void WriteExamples(const std::string& path, int first, int count,
                   const ExampleEdit& edit) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  auto writer = OpenTfRecordWriter(path, TfRecordCompression::kGzip);
  Require(writer.status());
  for (int number = first; number < first + count; ++number) {
    tensorflow::Example example = MakeExample(number);
    if (edit) edit(number, &example);
    Require((*writer)->Write(example.SerializeAsString()));
  }
  Require((*writer)->Close());
}

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

ExecutorInput MakeTrainingInput(const std::string& folder,
                                const std::string& run) {
  WriteExamples(folder + "/Split-train/data-00000-of-00002.gz", 0, 45);
  WriteExamples(folder + "/Split-train/data-00001-of-00002.gz", 45, 45);
  WriteExamples(folder + "/Split-eval/data-00000-of-00001.gz", 1000, 60);
  WriteText(folder + "/schema.pbtxt", kTrainingSchema);
  const std::string out = folder + "/" + run;
  std::filesystem::create_directories(out);
  ExecutorInput input;
  input.train_files = {folder + "/Split-train/*"};
  input.eval_files = {folder + "/Split-eval/*"};
  input.train_steps = 60;
  input.schema_path = folder + "/schema.pbtxt";
  input.serving_model_dir = out + "/model/Format-Serving";
  input.model_run_dir = out + "/model_run";
  input.output_path = out + "/executor_output.json";
  input.custom_config = {{"label_key", "species"},
                         {"learning_rate", 0.01},
                         {"checkpoint_interval", 20}};
  return input;
}

}  // namespace rekindle
