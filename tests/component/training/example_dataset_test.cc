#include "component/io/example_dataset.h"

#include <cmath>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/component/training/training_data.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::tensorflow::Example;
using ::testing::HasSubstr;

class ExampleDatasetTest : public ::testing::Test {
 protected:
  absl::StatusOr<ExampleDataset> Load(const ExampleEdit& edit) {
    WriteExamples(folder_ / "data.gz", 1, 30, edit);
    return LoadExamples({folder_ / "*.gz"}, columns_, {.keep_serialized = 2});
  }

  // The error of a data set whose example 5 is edited.
  std::string ErrorOf(const std::function<void(Example*)>& edit) {
    const auto loaded = Load([&](int number, Example* example) {
      if (number == 5) edit(example);
    });
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(loaded.status().message(), HasSubstr("data.gz"));
    return std::string(loaded.status().message());
  }

  TempDir folder_;
  Columns columns_ = {
      .numeric = {{.name = "length"}, {.name = "mass", .is_integer = true}},
      .categorical = {{.name = "island", .vocabulary = {"biscoe", "dream"}}},
      .label = {.name = "species",
                .classes = {"adelie", "chinstrap", "gentoo"}}};
};

tensorflow::Feature* Named(Example* example, const std::string& name) {
  return &(*example->mutable_features()->mutable_feature())[name];
}

TEST_F(ExampleDatasetTest, PacksColumnsInTheOrderOfTheFile) {
  const auto data = Load(nullptr);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->size(), 30);
  EXPECT_EQ(data->serialized().size(), 2u);

  const std::vector<int64_t> rows = {4, 1, 4};
  ExampleBatch batch;
  data->Gather(rows, &batch);
  EXPECT_THAT(batch.labels.flat<int32_t>()(0), 5 % 3);
  EXPECT_THAT(batch.labels.flat<int32_t>()(1), 2 % 3);
  EXPECT_EQ(batch.numeric.matrix<float>()(0, 1),
            batch.numeric.matrix<float>()(2, 1));
}

TEST_F(ExampleDatasetTest, MissingAndUnknownValuesAreMarked) {
  const auto data = Load(nullptr);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_TRUE(std::isnan(data->Numeric(16)[0]));  // example 17, no length
  EXPECT_TRUE(std::isnan(data->Numeric(18)[1]));  // example 19, no mass
  const ExampleBatch all = data->Slice(0, 100);
  EXPECT_EQ(all.categorical.dim_size(0), 30);
  EXPECT_EQ(all.categorical.matrix<int32_t>()(12, 0), -1);  // not a known word
  EXPECT_EQ(all.categorical.matrix<int32_t>()(22, 0), -1);  // an empty list
}

TEST_F(ExampleDatasetTest, AnExampleWithoutLabelIsNamed) {
  EXPECT_THAT(ErrorOf([](Example* e) { Named(e, "species")->Clear(); }),
              HasSubstr("it has no label 'species'"));
}

TEST_F(ExampleDatasetTest, AnUnknownClassIsNamed) {
  EXPECT_THAT(ErrorOf([](Example* e) {
                Named(e, "species")->mutable_bytes_list()->set_value(0, "dodo");
              }),
              HasSubstr("is 'dodo', the schema's classes are: adelie"));
}

TEST_F(ExampleDatasetTest, AFeatureOfTheWrongTypeIsNamed) {
  EXPECT_THAT(ErrorOf([](Example* e) {
                Named(e, "length")->mutable_int64_list()->add_value(4);
              }),
              HasSubstr("feature 'length' holds int64"));
}

TEST_F(ExampleDatasetTest, SeveralValuesAreNamed) {
  EXPECT_THAT(ErrorOf([](Example* e) {
                Named(e, "length")->mutable_float_list()->add_value(4);
              }),
              HasSubstr("feature 'length' has 2 values"));
}

TEST_F(ExampleDatasetTest, AnInfiniteValueIsNamed) {
  EXPECT_THAT(
      ErrorOf([](Example* e) {
        Named(e, "length")->mutable_float_list()->set_value(0, INFINITY);
      }),
      HasSubstr("feature 'length' is infinite"));
}

TEST_F(ExampleDatasetTest, ADamagedFileIsDataLossWithFileAndOffset) {
  WriteText(folder_ / "bad.gz", "these bytes are no TFRecord at all");
  const auto loaded = LoadExamples({folder_ / "bad.gz"}, columns_);
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(loaded.status().message(),
              HasSubstr("bad.gz': record at offset 0"));
}

TEST_F(ExampleDatasetTest, NoFileAndNoExampleAreErrors) {
  EXPECT_EQ(LoadExamples({folder_ / "none*"}, columns_).status().code(),
            absl::StatusCode::kNotFound);
  WriteExamples(folder_ / "empty.gz", 0, 0);
  const auto loaded = LoadExamples({folder_ / "empty.gz"}, columns_);
  EXPECT_THAT(loaded.status().message(), HasSubstr("there is no example in"));
}

}  // namespace
}  // namespace rekindle
