#include "component/data/example_encoder.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "component/data/csv_columns.h"
#include "component/data/deterministic_bytes.h"
#include "tensorflow/core/example/example.pb.h"
#include "tensorflow/core/example/feature.pb.h"

namespace rekindle {
namespace {

using Cells = std::vector<absl::string_view>;
using Missing = ExampleEncoder::Missing;

TEST(ExampleEncoderTest, AMissingCellHasNoListOrAnEmptyOne) {
  CsvColumns columns({"f"}, {"NA"});
  columns.Learn({"2.5"});
  ExampleEncoder ours(columns, Missing::kNoList);
  ExampleEncoder tfx(columns, Missing::kEmptyList);

  tensorflow::Example example;
  ASSERT_TRUE(example.ParseFromString(std::string(ours.Encode({"NA"}))));
  EXPECT_TRUE(ours.had_missing());
  EXPECT_EQ(example.features().feature().at("f").kind_case(),
            tensorflow::Feature::KIND_NOT_SET);
  ASSERT_TRUE(example.ParseFromString(std::string(tfx.Encode({"NA"}))));
  EXPECT_TRUE(example.features().feature().at("f").has_float_list());
}

// Cells of every kind, and what protobuf makes of them.
class RandomRows {
 public:
  explicit RandomRows(unsigned seed) : random_(seed) {}

  std::string Cell(ColumnKind kind) {
    if (random_() % 8 == 0) return "";
    const auto number = static_cast<int64_t>(random_()) << (random_() % 32);
    if (kind == ColumnKind::kInt) {
      return absl::StrCat(random_() % 2 == 0 ? number : -number);
    }
    if (kind == ColumnKind::kFloat) {
      return absl::StrCat(static_cast<double>(number) / 1e9);
    }
    return std::string(random_() % 300, static_cast<char>('a' + random_() % 9));
  }

 private:
  std::mt19937 random_;
};

tensorflow::Feature ToFeature(const std::string& cell, ColumnKind kind) {
  tensorflow::Feature feature;
  if (cell.empty()) return feature;
  if (kind == ColumnKind::kInt) {
    feature.mutable_int64_list()->add_value(*CellAsInt(cell));
  } else if (kind == ColumnKind::kFloat) {
    feature.mutable_float_list()->add_value(
        static_cast<float>(*CellAsNumber(cell)));
  } else {
    feature.mutable_bytes_list()->add_value(cell);
  }
  return feature;
}

TEST(ExampleEncoderTest, TheBytesAreThoseOfProtobuf) {
  // Names out of order, and one that needs two bytes for its length.
  CsvColumns columns({"z", "a", std::string(200, 'm'), ""}, {});
  columns.Learn({"1", "1.5", "x", "y"});
  ExampleEncoder encoder(columns, Missing::kNoList);
  RandomRows rows(20261116);
  for (int round = 0; round < 500; ++round) {
    tensorflow::Example example;
    std::vector<std::string> cells;
    for (size_t i = 0; i < columns.names().size(); ++i) {
      cells.push_back(rows.Cell(columns.kind(i)));
      (*example.mutable_features()->mutable_feature())[columns.names()[i]] =
          ToFeature(cells[i], columns.kind(i));
    }
    const absl::string_view encoded =
        encoder.Encode(Cells(cells.begin(), cells.end()));
    ASSERT_EQ(encoded, SerializeDeterministically(example));
    ASSERT_EQ(encoder.Feature(0),
              ToFeature(cells[0], columns.kind(0)).SerializeAsString());
  }
}

}  // namespace
}  // namespace rekindle
