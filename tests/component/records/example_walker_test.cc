#include "component/records/example_walker.h"

#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tensorflow/core/example/example.pb.h"

namespace rekindle {
namespace {

using ::tensorflow::Example;
using ::tensorflow::Feature;

// Makes a message again of what the walker reports.
class Recorder final : public ExampleVisitor {
 public:
  void OnBytes(absl::string_view name,
               std::span<const absl::string_view> values) override {
    auto* list = Named(name)->mutable_bytes_list();
    for (const auto value : values) list->add_value(std::string(value));
  }
  void OnFloats(absl::string_view name,
                std::span<const float> values) override {
    auto* list = Named(name)->mutable_float_list();
    for (const float value : values) list->add_value(value);
  }
  void OnInt64s(absl::string_view name,
                std::span<const int64_t> values) override {
    auto* list = Named(name)->mutable_int64_list();
    for (const int64_t value : values) list->add_value(value);
  }
  void OnNoValues(absl::string_view name) override { Named(name); }

  const Example& example() const { return example_; }

 private:
  // Cleared: the last feature of a name counts.
  Feature* Named(absl::string_view name) {
    Feature* feature =
        &(*example_.mutable_features()->mutable_feature())[std::string(name)];
    feature->Clear();
    return feature;
  }

  Example example_;
};

// DebugString sorts a map by its keys.
std::string Text(const Example& example) { return example.DebugString(); }

std::string WalkedText(const std::string& record) {
  Recorder recorder;
  const absl::Status walked = ExampleWalker().Walk(record, recorder);
  return walked.ok() ? Text(recorder.example()) : walked.ToString();
}

std::string ParsedText(const std::string& record) {
  Example example;
  if (!example.ParseFromString(record)) return "does not parse";
  example.DiscardUnknownFields();
  return Text(example);
}

Feature RandomFeature(std::mt19937& random) {
  Feature feature;
  const uint32_t kind = random() % 4;
  const auto count = static_cast<int>(random() % 5);
  if (kind == 1) feature.mutable_bytes_list();
  if (kind == 2) feature.mutable_float_list();
  if (kind == 3) feature.mutable_int64_list();
  for (int i = 0; i < count; ++i) {
    if (kind == 1) {
      feature.mutable_bytes_list()->add_value(std::string(random() % 300, 'x'));
    }
    if (kind == 2) {
      feature.mutable_float_list()->add_value(static_cast<float>(random()) /
                                              7.0f);
    }
    if (kind == 3) {
      feature.mutable_int64_list()->add_value(static_cast<int64_t>(random()) -
                                              (int64_t{1} << (random() % 63)));
    }
  }
  return feature;
}

Example RandomExample(uint32_t seed) {
  std::mt19937 random(seed);
  Example example;
  for (uint32_t i = random() % 6; i > 0; --i) {
    (*example.mutable_features()
          ->mutable_feature())[absl::StrCat("f", random() % 100)] =
        RandomFeature(random);
  }
  return example;
}

// A length-delimited field, written by hand.
std::string Field(int number, const std::string& bytes) {
  std::string out;
  out.push_back(static_cast<char>((number << 3) | 2));
  out.push_back(static_cast<char>(bytes.size()));
  return absl::StrCat(out, bytes);
}

std::string ExampleWith(const std::string& feature) {
  return Field(1, Field(1, absl::StrCat(Field(1, "f"), Field(2, feature))));
}

TEST(ExampleWalkerTest, AgreesWithProtobufOnRandomExamples) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const std::string record = RandomExample(seed).SerializeAsString();
    EXPECT_EQ(WalkedText(record), ParsedText(record)) << "seed " << seed;
  }
}

TEST(ExampleWalkerTest, AgreesWithProtobufOnExtremeNumbers) {
  Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  auto* ints = features["i"].mutable_int64_list();
  ints->add_value(std::numeric_limits<int64_t>::min());
  ints->add_value(std::numeric_limits<int64_t>::max());
  ints->add_value(-1);
  auto* floats = features["x"].mutable_float_list();
  floats->add_value(std::numeric_limits<float>::infinity());
  floats->add_value(std::numeric_limits<float>::denorm_min());
  const std::string record = example.SerializeAsString();
  EXPECT_EQ(WalkedText(record), ParsedText(record));
}

struct WireCase {
  std::string name;
  std::string record;
};

class WireTest : public ::testing::TestWithParam<WireCase> {};

TEST_P(WireTest, MeansWhatItMeansToProtobuf) {
  EXPECT_EQ(WalkedText(GetParam().record), ParsedText(GetParam().record));
}

const std::string kUnpackedFloat("\x0d\x00\x00\x80\x3f", 5);
const std::string kUnpackedInt("\x08\x05", 2);

INSTANTIATE_TEST_SUITE_P(
    Example, WireTest,
    ::testing::ValuesIn(std::vector<WireCase>{
        {"Nothing", ""},
        {"UnpackedFloats",
         ExampleWith(Field(2, absl::StrCat(kUnpackedFloat, kUnpackedFloat)))},
        {"UnpackedInts",
         ExampleWith(Field(3, absl::StrCat(kUnpackedInt, kUnpackedInt)))},
        {"PackedAndUnpackedInts",
         ExampleWith(Field(3,
                           absl::StrCat(Field(1, "\x01\x02"), kUnpackedInt)))},
        {"ListsOfOneKindAreJoined",
         ExampleWith(absl::StrCat(Field(3, kUnpackedInt),
                                  Field(3, kUnpackedInt)))},
        {"TheLastKindCounts",
         ExampleWith(absl::StrCat(Field(3, kUnpackedInt),
                                  Field(1, Field(1, "b"))))},
        {"TheLastFeatureOfANameCounts",
         absl::StrCat(ExampleWith(Field(3, kUnpackedInt)),
                      ExampleWith(Field(1, Field(1, "b"))))},
        {"UnknownFieldsAreSkipped",
         absl::StrCat(ExampleWith(absl::StrCat(Field(9, "?"),
                                               Field(3, kUnpackedInt))),
                      Field(7, "?"), "\x40\x05")},
        {"AnEntryWithoutAName",
         Field(1, Field(1, Field(2, Field(3, kUnpackedInt))))},
        {"AnEntryWithoutAFeature", Field(1, Field(1, Field(1, "f")))},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ExampleWalkerTest, CutShortAnywhereIsDataLossOrAShorterExample) {
  const std::string record = RandomExample(11).SerializeAsString();
  for (size_t size = 0; size < record.size(); ++size) {
    Recorder recorder;
    const absl::Status walked =
        ExampleWalker().Walk(record.substr(0, size), recorder);
    const bool parses = Example().ParseFromString(record.substr(0, size));
    EXPECT_EQ(walked.ok(), parses) << size;
    EXPECT_TRUE(walked.ok() || absl::IsDataLoss(walked)) << walked;
  }
}

TEST(ExampleWalkerTest, RandomBytesNeverBreakIt) {
  std::mt19937 random(12);
  for (int i = 0; i < 2000; ++i) {
    std::string record = RandomExample(random()).SerializeAsString();
    for (char& byte : record) {
      if (random() % 16 == 0) byte = static_cast<char>(random());
    }
    Recorder recorder;
    const absl::Status walked = ExampleWalker().Walk(record, recorder);
    EXPECT_TRUE(walked.ok() || absl::IsDataLoss(walked)) << walked;
  }
}

}  // namespace
}  // namespace rekindle
