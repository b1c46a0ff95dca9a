#include "component/features/schema_features.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kSchema[] = R"(
  feature { name: "length" type: FLOAT value_count { min: 1 max: 1 } }
  feature { name: "mass" type: INT int_domain { min: 0 max: 9000 } }
  feature { name: "pixels" type: FLOAT shape { dim { size: 2 } dim { size: 3 } } }
  feature { name: "island" type: BYTES domain: "islands" }
  feature { name: "year" type: INT
            int_domain { min: 2007 max: 2009 is_categorical: true } }
  feature { name: "plot" type: INT int_domain { is_categorical: true } }
  feature { name: "comment" type: BYTES }
  feature { name: "tags" type: BYTES value_count { min: 0 max: 9 }
            string_domain { value: "wet" value: "dry" } }
  feature { name: "weights" type: FLOAT value_count { min: 0 } }
  feature { name: "old" type: FLOAT deprecated: true }
  feature { name: "sex" type: BYTES
            bool_domain { true_value: "m" false_value: "f" } }
  feature { name: "species" type: BYTES
            string_domain { value: "adelie" value: "gentoo" } }
  string_domain { name: "islands" value: "biscoe" value: "dream" }
)";

FeatureOptions For(const std::string& label, LabelUse use = LabelUse::kClass) {
  FeatureOptions options;
  options.label_key = label;
  options.label_use = use;
  return options;
}

SchemaFeatures Decide(const FeatureOptions& options) {
  const auto features = ParseSchemaFeatures(kSchema, "schema.pbtxt", options);
  EXPECT_TRUE(features.ok()) << features.status();
  return features.ok() ? *features : SchemaFeatures();
}

std::string ErrorOf(const FeatureOptions& options,
                    const std::string& schema = kSchema) {
  const auto features = ParseSchemaFeatures(schema, "schema.pbtxt", options);
  EXPECT_EQ(features.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(features.status().message());
}

std::string ErrorOf(const std::string& feature, const FeatureConfig& config) {
  FeatureOptions options = For("species");
  options.features[feature] = config;
  return ErrorOf(options);
}

std::vector<std::string> NamesOf(const auto& features) {
  std::vector<std::string> names;
  for (const auto& feature : features) names.push_back(feature.name);
  return names;
}

TEST(SchemaFeaturesTest, SortsFeaturesByTheirUse) {
  const SchemaFeatures out = Decide(For("species"));
  EXPECT_THAT(NamesOf(out.spec.numeric),
              ElementsAre("length", "mass", "pixels"));
  EXPECT_EQ(out.spec.numeric[1].stored, StoredType::kInt64);
  EXPECT_EQ(out.spec.numeric[2].width, 6);
  EXPECT_EQ(out.spec.numeric_width(), 8);
  EXPECT_THAT(NamesOf(out.spec.categorical),
              ElementsAre("island", "year", "sex"));
  EXPECT_THAT(out.spec.categorical[0].vocabulary,
              ElementsAre("biscoe", "dream"));
  EXPECT_EQ(out.spec.categorical[1].first_value, 2007);
  EXPECT_EQ(out.spec.categorical[1].ids(), 3);
  EXPECT_THAT(out.spec.categorical[2].vocabulary, ElementsAre("f", "m"));
  EXPECT_THAT(NamesOf(out.spec.multivalent), ElementsAre("tags"));
  EXPECT_THAT(out.spec.label->classes, ElementsAre("adelie", "gentoo"));
}

TEST(SchemaFeaturesTest, SaysWhatIsLeftOut) {
  EXPECT_THAT(
      Decide(For("species")).notes,
      ElementsAre(
          HasSubstr("'plot' is not used: it is categorical, but"),
          HasSubstr("'comment' is not used: it has no string domain"),
          HasSubstr("'weights' is not used: it may hold any number of values"),
          HasSubstr("'old' is not used: it is deprecated")));
}

TEST(SchemaFeaturesTest, TheDefaultNumberOfHashBucketsIsForThoseWithoutDomain) {
  FeatureOptions options = For("species");
  options.default_hash_buckets = 64;
  const SchemaFeatures out = Decide(options);
  EXPECT_THAT(NamesOf(out.spec.categorical),
              ElementsAre("island", "year", "plot", "comment", "sex"));
  EXPECT_EQ(out.spec.categorical[2].hash_buckets, 64);
  EXPECT_EQ(out.spec.categorical[0].hash_buckets, 0);
}

TEST(SchemaFeaturesTest, TheConfigurationChangesAFeature) {
  FeatureOptions options = For("species");
  options.features["length"].boundaries = {30, 40, 50};
  options.features["mass"].hash_buckets = 10;
  options.features["mass"].embedding_dim = 4;
  options.features["weights"].boundaries = {0};
  options.features["weights"].combiner = "sum";
  options.features["comment"].vocabulary = {"good"};
  options.features["island"].ignore = true;
  const SchemaFeatures out = Decide(options);
  EXPECT_THAT(NamesOf(out.spec.numeric), ElementsAre("pixels"));
  EXPECT_THAT(NamesOf(out.spec.categorical),
              ElementsAre("length", "mass", "year", "comment", "sex"));
  EXPECT_EQ(out.spec.categorical[0].ids(), 4);
  EXPECT_EQ(out.spec.categorical[1].embedding_dim, 4);
  EXPECT_EQ(out.spec.multivalent[1].combiner, Combiner::kSum);
}

TEST(SchemaFeaturesTest, LabelsAreClassesOrNumbers) {
  EXPECT_THAT(Decide(For("year")).spec.label->classes,
              ElementsAre("2007", "2008", "2009"));
  EXPECT_THAT(Decide(For("sex")).spec.label->classes, ElementsAre("f", "m"));
  EXPECT_FALSE(Decide(For("mass", LabelUse::kNumber)).spec.label->is_class());
  EXPECT_FALSE(Decide(For("", LabelUse::kNone)).spec.label.has_value());
  EXPECT_THAT(ErrorOf(For("length")), HasSubstr("'length' has no classes"));
  EXPECT_THAT(
      ErrorOf(For("island", LabelUse::kNumber)),
      HasSubstr("'island' (BYTES) cannot be the label of a regression"));
  EXPECT_THAT(ErrorOf(For("tags")), HasSubstr("it must hold one value"));
  EXPECT_THAT(ErrorOf(For("specis")), HasSubstr("no feature 'specis'"));
}

TEST(SchemaFeaturesTest, WhatCannotBeIsAnErrorThatNamesIt) {
  EXPECT_THAT(ErrorOf("iland", {.ignore = true}),
              HasSubstr("did you mean 'island'?"));
  EXPECT_THAT(ErrorOf("island", {.boundaries = {1}}),
              HasSubstr("'island' (BYTES) has boundaries"));
  EXPECT_THAT(ErrorOf("length", {.hash_buckets = 3}),
              HasSubstr("'length' (FLOAT) has hash_buckets"));
  EXPECT_THAT(ErrorOf("island", {.hash_buckets = -3}), HasSubstr("has -3"));
  EXPECT_THAT(ErrorOf("mass", {.vocabulary = {"a"}}),
              HasSubstr("only BYTES can have"));
  EXPECT_THAT(ErrorOf("mass", {.boundaries = {3, 3}}),
              HasSubstr("boundaries that do not ascend: 3, 3"));
  EXPECT_THAT(ErrorOf("mass", {.hash_buckets = 3, .boundaries = {3}}),
              HasSubstr("more than one of"));
  EXPECT_THAT(ErrorOf("island", {.combiner = "max"}), HasSubstr("'max'"));
}

TEST(SchemaFeaturesTest, ABadSchemaIsNamed) {
  EXPECT_THAT(ErrorOf(For("label"), "feature { name: \n ?"), HasSubstr("2:2"));
  EXPECT_THAT(ErrorOf(For("label"),
                      "feature { name: 'label' type: INT bool_domain {} }"),
              HasSubstr("no feature to learn 'label' from"));
  EXPECT_EQ(ReadSchemaFeatures("/no/such/schema", For("x")).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace rekindle
