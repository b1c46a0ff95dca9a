#include "component/tasks/schema_columns.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/component/training/training_data.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(const std::string& schema) {
  const auto columns = ParseSchemaColumns(schema, "schema.pbtxt", "label");
  EXPECT_EQ(columns.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(columns.status().message());
}

TEST(SchemaColumnsTest, SortsFeaturesByTheirUse) {
  const auto schema =
      ParseSchemaColumns(kTrainingSchema, "schema.pbtxt", "species");
  ASSERT_TRUE(schema.ok()) << schema.status();
  const Columns& columns = schema->columns;
  ASSERT_EQ(columns.numeric.size(), 2u);
  EXPECT_EQ(columns.numeric[0].name, "length");
  EXPECT_TRUE(columns.numeric[1].is_integer);
  ASSERT_EQ(columns.categorical.size(), 1u);
  EXPECT_THAT(columns.categorical[0].vocabulary,
              ElementsAre("biscoe", "dream"));
  EXPECT_THAT(columns.label.classes,
              ElementsAre("adelie", "chinstrap", "gentoo"));
  EXPECT_THAT(schema->notes, ElementsAre("feature 'comment' is not used: it "
                                         "has no string domain"));
}

TEST(SchemaColumnsTest, AnIntegerLabelTakesItsClassesFromItsDomain) {
  const auto schema = ParseSchemaColumns(
      R"(feature { name: "x" type: FLOAT }
         feature { name: "label" type: INT int_domain { min: 3 max: 5 } })",
      "schema.pbtxt", "label");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->columns.label.classes, ElementsAre("3", "4", "5"));
  EXPECT_EQ(schema->columns.label.first_value, 3);
}

TEST(SchemaColumnsTest, FeaturesOfSeveralValuesAndUnknownFieldsAreLeftOut) {
  const auto schema = ParseSchemaColumns(
      R"(feature { name: "x" type: FLOAT some_new_field: 5 }
         feature { name: "many" type: FLOAT value_count { min: 0 max: 9 } }
         feature { name: "image" type: FLOAT shape { dim { size: 28 } } }
         feature { name: "label" type: INT bool_domain {} })",
      "schema.pbtxt", "label");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->columns.numeric.size(), 1u);
  EXPECT_EQ(schema->notes.size(), 2u);
}

TEST(SchemaColumnsTest, ErrorsNameThePlaceAndThePossible) {
  EXPECT_THAT(ErrorOf("feature { name: \n ?"),
              HasSubstr("schema.pbtxt' is not"));
  EXPECT_THAT(ErrorOf("feature { name: \n ?"), HasSubstr("2:2"));
  EXPECT_THAT(
      ErrorOf("feature { name: 'x' type: FLOAT }"),
      HasSubstr("no feature 'label', which label_key names; it has: x"));
  EXPECT_THAT(ErrorOf("feature { name: 'label' type: FLOAT }"),
              HasSubstr("'label' has no classes"));
  EXPECT_THAT(ErrorOf("feature { name: 'label' type: INT bool_domain {} }"),
              HasSubstr("no feature to learn 'label' from"));
}

TEST(SchemaColumnsTest, AMissingFileIsNotFound) {
  EXPECT_EQ(ReadSchemaColumns("/no/such/schema", "label").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace rekindle
