#include "component/tasks/penguin_data.h"

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <memory>
#include <unistd.h>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/io/durable_file.h"
#include "component/records/tfrecord_writer.h"
#include "penguins_csv.h"
#include "tensorflow/core/example/example.pb.h"
#include "tensorflow/core/example/feature.pb.h"

namespace rekindle {
namespace {

using ::tensorflow::Example;
using ::tensorflow::Feature;

constexpr char kSchema[] = R"(
feature { name: "species" type: BYTES string_domain { value: "Adelie" value: "Chinstrap" value: "Gentoo" } }
feature { name: "island" type: BYTES string_domain { value: "Biscoe" value: "Dream" value: "Torgersen" } }
feature { name: "bill_length_mm" type: FLOAT }
feature { name: "bill_depth_mm" type: FLOAT }
feature { name: "flipper_length_mm" type: FLOAT }
feature { name: "body_mass_g" type: FLOAT }
feature { name: "sex" type: BYTES string_domain { value: "female" value: "male" } }
feature { name: "year" type: FLOAT }
)";

// Every cell that is a number becomes one, NA becomes a missing feature.
Example ExampleOf(const std::vector<absl::string_view>& names,
                  absl::string_view row) {
  Example example;
  const std::vector<absl::string_view> cells = absl::StrSplit(row, ',');
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] == "NA") continue;
    Feature& feature =
        (*example.mutable_features()->mutable_feature())[std::string(names[i])];
    if (float number = 0; absl::SimpleAtof(cells[i], &number)) {
      feature.mutable_float_list()->add_value(number);
    } else {
      feature.mutable_bytes_list()->add_value(std::string(cells[i]));
    }
  }
  return example;
}

absl::Status WriteSchema(const std::string& path) {
  std::ofstream file(path);
  file << kSchema << std::flush;
  if (file.good()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write '", path, "'"));
}

absl::Status WriteExamples(const PenguinFiles& files) {
  RK_ASSIGN_OR_RETURN(
      const auto train,
      OpenTfRecordWriter(files.train, TfRecordCompression::kNone));
  RK_ASSIGN_OR_RETURN(
      const auto eval,
      OpenTfRecordWriter(files.eval, TfRecordCompression::kNone));
  const std::vector<absl::string_view> lines =
      absl::StrSplit(kPenguinsCsv, '\n', absl::SkipEmpty());
  const std::vector<absl::string_view> names = absl::StrSplit(lines[0], ',');
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string record = ExampleOf(names, lines[i]).SerializeAsString();
    RK_RETURN_IF_ERROR((i % 3 == 0 ? eval : train)->Write(record));
  }
  RK_RETURN_IF_ERROR(train->Close());
  return eval->Close();
}

absl::Status Rename(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write '", to, "'"));
}

}  // namespace

absl::StatusOr<PenguinFiles> WritePenguins(const std::string& folder) {
  RK_RETURN_IF_ERROR(MakeFolder(folder));
  const PenguinFiles files{.train = absl::StrCat(folder, "/train.tfrecord"),
                           .eval = absl::StrCat(folder, "/eval.tfrecord"),
                           .schema = absl::StrCat(folder, "/schema.pbtxt")};
  // Other workers may write the same files, or read them already.
  const std::string ours = absl::StrCat(".", getpid());
  const PenguinFiles unfinished{.train = files.train + ours,
                                .eval = files.eval + ours,
                                .schema = files.schema + ours};
  RK_RETURN_IF_ERROR(WriteSchema(unfinished.schema));
  RK_RETURN_IF_ERROR(WriteExamples(unfinished));
  RK_RETURN_IF_ERROR(Rename(unfinished.train, files.train));
  RK_RETURN_IF_ERROR(Rename(unfinished.eval, files.eval));
  RK_RETURN_IF_ERROR(Rename(unfinished.schema, files.schema));
  return files;
}

}  // namespace rekindle
