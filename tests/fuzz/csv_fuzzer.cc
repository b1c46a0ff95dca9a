// Any bytes as CSV: refused with a line, or the same rows however the bytes
// come; and what example-gen writes of them is a tf.Example with every column.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "component/data/csv_columns.h"
#include "component/data/csv_reader.h"
#include "component/data/example_encoder.h"
#include "component/data/schema_inference.h"
#include "component/data/statistics_collector.h"
#include "component/records/byte_source.h"
#include "tensorflow/core/example/example.pb.h"
#include "tests/fuzz/require.h"

namespace rekindle {
namespace {

using Cells = std::vector<absl::string_view>;

// A text that comes in pieces.
class Pieces final : public ByteSource {
 public:
  Pieces(absl::string_view text, size_t largest)
      : text_(text), largest_(largest) {}

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    const size_t got = text_.copy(out, std::min(size, largest_));
    text_.remove_prefix(got);
    return got;
  }

 private:
  absl::string_view text_;
  const size_t largest_;
};

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  absl::Status error;
};

Table ReadTable(absl::string_view text, size_t piece) {
  Table table;
  CsvReader reader("a.csv", std::make_unique<Pieces>(text, piece));
  absl::StatusOr<std::vector<std::string>> header = reader.ReadHeader();
  if (!header.ok()) {
    table.error = header.status();
    return table;
  }
  table.header = *std::move(header);
  Cells cells;
  while (true) {
    const absl::StatusOr<bool> found = reader.ReadRow(cells);
    table.error = found.status();
    if (!found.ok() || !*found) return table;
    table.rows.emplace_back(cells.begin(), cells.end());
  }
}

void CheckSame(const Table& whole, const Table& pieces) {
  Require(whole.header == pieces.header, "another header in pieces");
  Require(whole.rows == pieces.rows, "other rows in pieces");
  Require(whole.error == pieces.error, "another error in pieces");
  if (!whole.error.ok()) {
    Require(absl::StartsWith(whole.error.message(), "a.csv:"),
            "an error without a line");
  }
}

void CheckExamples(const Table& table) {
  CsvColumns columns(table.header, {"NA"});
  std::vector<Cells> rows;
  for (const auto& row : table.rows) rows.emplace_back(row.begin(), row.end());
  for (const Cells& cells : rows) columns.Learn(cells);
  ExampleEncoder encoder(columns, ExampleEncoder::Missing::kNoList);
  StatisticsCollector statistics;
  for (const Cells& cells : rows) {
    const std::string record(encoder.Encode(cells));
    tensorflow::Example example;
    // A name that is not UTF-8 makes no valid message, though readable bytes.
    if (!example.ParseFromString(record)) continue;
    Require(example.features().feature_size() ==
                static_cast<int>(table.header.size()),
            "a column is missing from the example");
    (void)statistics.Add(record);
  }
  (void)InferSchema({statistics.Finish()});
}

}  // namespace
}  // namespace rekindle

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rekindle;
  if (size == 0) return 0;
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  const Table whole = ReadTable(text, size);
  CheckSame(whole, ReadTable(text, size_t{1} + data[0] % 16));
  if (!whole.header.empty()) CheckExamples(whole);
  return 0;
}
