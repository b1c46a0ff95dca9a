#include "component/features/row_packer.h"

#include <cmath>
#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tensorflow/core/example/example.pb.h"
#include "tests/component/features/random_examples.h"

namespace rekindle {
namespace {

using ::tensorflow::Example;
using ::tensorflow::Feature;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RowPackerTest : public ::testing::Test {
 protected:
  // What is wrong with a complete example after `edit`.
  std::string ErrorOf(const std::string& feature,
                      const std::function<void(Feature*)>& edit) {
    Example example = RandomExample(spec_, Gaps::kNone, &random_);
    edit(&(*example.mutable_features()->mutable_feature())[feature]);
    PackedRows rows;
    const absl::Status status =
        RowPacker(spec_).Append(example.SerializeAsString(), &rows);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }

  FeatureSpec spec_ = EveryKindOfFeature(LabelKind::kWord);
  std::mt19937_64 random_{3};
};

// Two features of one name: what protobuf's own merge gives is what counts.
TEST_F(RowPackerTest, OfAFeatureThatOccursTwiceTheLastOneCounts) {
  const Example first = RandomExample(spec_, Gaps::kNone, &random_);
  const Example second = RandomExample(spec_, Gaps::kNone, &random_);
  const std::string both =
      first.SerializeAsString() + second.SerializeAsString();
  Example merged;
  ASSERT_TRUE(merged.ParseFromString(both));
  PackedRows ours;
  PackedRows expected;
  RowPacker packer(spec_);
  ASSERT_TRUE(packer.Append(both, &ours).ok());
  ASSERT_TRUE(packer.Append(merged.SerializeAsString(), &expected).ok());
  EXPECT_EQ(ours.numeric, expected.numeric);
  EXPECT_EQ(ours.categorical, expected.categorical);
  EXPECT_EQ(ours.classes, expected.classes);
  EXPECT_EQ(ours.multivalent[0].values, expected.multivalent[0].values);
}

TEST_F(RowPackerTest, ErrorsNameTheFeatureAndWhatWasExpected) {
  EXPECT_THAT(ErrorOf("label", [](Feature* f) { f->Clear(); }),
              HasSubstr("it has no label 'label'"));
  EXPECT_THAT(ErrorOf("label",
                      [](Feature* f) {
                        f->mutable_bytes_list()->set_value(0, "dodo");
                      }),
              HasSubstr("is 'dodo', the schema's classes are: adelie"));
  EXPECT_THAT(
      ErrorOf("float",
              [](Feature* f) { f->mutable_int64_list()->add_value(4); }),
      HasSubstr("feature 'float' holds int64"));
  EXPECT_THAT(
      ErrorOf("float",
              [](Feature* f) { f->mutable_float_list()->add_value(4); }),
      HasSubstr("feature 'float' has 2 values, expected at most one"));
  EXPECT_THAT(
      ErrorOf("three",
              [](Feature* f) { f->mutable_float_list()->add_value(4); }),
      HasSubstr("feature 'three' has 4 values, expected none or 3"));
  EXPECT_THAT(ErrorOf("float",
                      [](Feature* f) {
                        f->mutable_float_list()->set_value(0, INFINITY);
                      }),
              HasSubstr("feature 'float' is infinite"));
}

TEST_F(RowPackerTest, ALabelThatIsNoNumberIsNamed) {
  spec_ = EveryKindOfFeature(LabelKind::kNumber);
  EXPECT_THAT(
      ErrorOf("label",
              [](Feature* f) { f->mutable_float_list()->set_value(0, NAN); }),
      HasSubstr("its label 'label' is nan"));
}

TEST_F(RowPackerTest, BytesThatAreNoExampleAreDataLoss) {
  PackedRows rows;
  EXPECT_EQ(RowPacker(spec_).Append("not an example", &rows).code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(RowPackerTest, FarIntegersAreOutsideARange) {
  CategoricalFeature feature;
  feature.first_value = INT64_MIN;
  feature.range_size = 3;
  const IdEncoder encoder(feature);
  EXPECT_EQ(encoder.Id(INT64_MIN + 2), 2);
  EXPECT_EQ(encoder.Id(INT64_MIN + 3), -1);
  EXPECT_EQ(encoder.Id(INT64_MAX), -1);
}

}  // namespace
}  // namespace rekindle
