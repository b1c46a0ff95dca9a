#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "component/data/csv_columns.h"
#include "component/data/csv_reader.h"
#include "component/data/example_encoder.h"
#include "component/data/example_source.h"
#include "component/data/input_files.h"
#include "component/data/read_progress.h"
#include "component/records/byte_source.h"

namespace rekindle {
namespace {

using Cells = std::vector<absl::string_view>;

class CsvSource final : public ExampleSource {
 public:
  CsvSource(InputFiles input, ExampleSourceOptions options)
      : input_(std::move(input)), options_(std::move(options)) {}

  absl::Status Read(const Sink& sink) override {
    ReadProgress progress(input_.AllFiles(), /*passes=*/2,
                          options_.on_progress);
    RK_RETURN_IF_ERROR(Learn(progress));
    if (progress.items() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(input_.AllFiles().front(), " has a header but no rows"));
    }
    RK_ASSIGN_OR_RETURN(const std::optional<size_t> partition_column,
                        PartitionColumn());
    ExampleEncoder encoder(*columns_, ExampleEncoder::Missing::kNoList);
    ExampleEncoder as_tfx(*columns_, ExampleEncoder::Missing::kEmptyList);
    return ForEachRow(
        progress, [&](const Cells& cells, const Place& place) -> absl::Status {
          SourcedExample example;
          example.input_split = place.input_split;
          example.record = encoder.Encode(cells);
          if (partition_column.has_value()) {
            RK_RETURN_IF_ERROR(CheckPresent(cells, place, *partition_column));
            example.partition_key = encoder.Feature(*partition_column);
          } else {
            example.partition_key =
                encoder.had_missing() ? as_tfx.Encode(cells) : example.record;
          }
          return sink(example);
        });
  }

 private:
  // Where a row is.
  struct Place {
    size_t input_split = 0;
    const std::string& file;
    int64_t line = 0;
  };
  using UseRow =
      std::function<absl::Status(const Cells& cells, const Place& place)>;

  absl::Status Learn(ReadProgress& progress) {
    return ForEachRow(progress, [this](const Cells& cells, const Place&) {
      columns_->Learn(cells);
      return absl::OkStatus();
    });
  }

  absl::Status ForEachRow(ReadProgress& progress, const UseRow& use) {
    for (size_t split = 0; split < input_.splits.size(); ++split) {
      for (const std::string& file : input_.splits[split].files) {
        RK_RETURN_IF_ERROR(ForEachRowOf(file, split, progress, use));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ForEachRowOf(const std::string& file, size_t split,
                            ReadProgress& progress, const UseRow& use) {
    RK_ASSIGN_OR_RETURN(auto bytes, OpenByteSource(file));
    CsvReader reader(file, std::move(bytes));
    RK_ASSIGN_OR_RETURN(std::vector<std::string> header, reader.ReadHeader());
    RK_RETURN_IF_ERROR(CheckHeader(file, std::move(header)));
    Cells cells;
    while (true) {
      RK_ASSIGN_OR_RETURN(const bool found, reader.ReadRow(cells));
      if (!found) break;
      RK_RETURN_IF_ERROR(use(cells, {split, file, reader.line()}));
      RK_RETURN_IF_ERROR(progress.Read(reader.offset()));
    }
    progress.EndFile(reader.offset());
    return absl::OkStatus();
  }

  // The first header makes the columns; the others must be like it.
  absl::Status CheckHeader(const std::string& file,
                           std::vector<std::string> header) {
    if (!columns_.has_value()) {
      columns_.emplace(std::move(header), options_.null_values);
    } else if (header != columns_->names()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ":1: its header differs from the header of ",
                       input_.AllFiles().front()));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<size_t>> PartitionColumn() const {
    const std::string& name = options_.partition_feature;
    if (name.empty()) return std::nullopt;
    const std::vector<std::string>& names = columns_->names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::optional<std::string> nearest = NearestName(name, names);
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no column '", name, "' to partition by",
          nearest ? absl::StrCat("; did you mean '", *nearest, "'?") : ""));
    }
    const auto column = static_cast<size_t>(found - names.begin());
    if (columns_->kind(column) == ColumnKind::kFloat) {
      return absl::InvalidArgumentError(
          absl::StrCat("column '", name,
                       "' holds fractions; rows are partitioned by whole "
                       "numbers or text"));
    }
    return column;
  }

  absl::Status CheckPresent(const Cells& cells, const Place& place,
                            size_t column) const {
    if (!columns_->IsMissing(cells[column])) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        place.file, ":", place.line, ": '", columns_->names()[column],
        "' is missing, by which rows are partitioned"));
  }

  const InputFiles input_;
  const ExampleSourceOptions options_;
  std::optional<CsvColumns> columns_;
};

}  // namespace

std::unique_ptr<ExampleSource> MakeCsvSource(InputFiles input,
                                             ExampleSourceOptions options) {
  return std::make_unique<CsvSource>(std::move(input), std::move(options));
}

}  // namespace rekindle
