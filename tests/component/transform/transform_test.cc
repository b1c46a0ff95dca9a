#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "component/contract/whole_file.h"
#include "component/records/tfrecord_reader.h"
#include "component/training/executor_run.h"
#include "component/training/model_probe.h"
#include "component/training/predictor.h"
#include "component/transform/transform_graph.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tensorflow/core/example/example.pb.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kFixture[] = REKINDLE_PENGUIN_TRANSFORM;

std::string FixturePath(const std::string& name) {
  return std::string(kFixture) + "/" + name;
}

std::vector<std::string> Examples(const std::string& kind) {
  std::vector<std::string> examples;
  const auto reader = OpenTfRecordReader(
      FixturePath(kind + "/Split-eval/data_tfrecord-00000-of-00001.gz"));
  EXPECT_TRUE(reader.ok()) << reader.status();
  for (auto record = (*reader)->Next(); record.ok() && record->has_value();
       record = (*reader)->Next()) {
    examples.emplace_back(**record);
  }
  return examples;
}

// Examples without one of their features.
std::vector<std::string> Without(const std::string& feature,
                                 std::vector<std::string> examples) {
  for (std::string& serialized : examples) {
    tensorflow::Example example;
    EXPECT_TRUE(example.ParseFromString(serialized));
    example.mutable_features()->mutable_feature()->erase(feature);
    serialized = example.SerializeAsString();
  }
  return examples;
}

// What an executor run on the fixture's transformed examples ended with.
struct Trained {
  absl::Status status;
  std::string log;
  ExecutorOutput output;
};

class TransformTest : public ::testing::Test {
 protected:
  ExecutorInput Input(const std::string& graph) const {
    ExecutorInput input;
    input.train_files = {FixturePath("transformed/Split-train/*")};
    input.eval_files = {FixturePath("transformed/Split-eval/*")};
    input.train_steps = 100;
    input.transform_graph_path = graph;
    input.serving_model_dir = folder_ / "model/Format-Serving";
    input.model_run_dir = folder_ / "model_run";
    input.custom_config = {{"label_key", "species"}, {"learning_rate", 0.01}};
    return input;
  }

  static Trained Train(const ExecutorInput& input) {
    Trained trained;
    std::ostringstream log;
    trained.status = RunExecutor(
        input, {.stop_signal = [] { return 0; }, .log = &log}, &trained.output);
    trained.log = log.str();
    return trained;
  }

  // The model's scores for each example.
  absl::StatusOr<std::vector<float>> Scores(
      const std::string& signature, const std::vector<std::string>& examples) {
    const auto predictor =
        LoadPredictor(folder_ / "model/Format-Serving", signature);
    if (!predictor.ok()) return predictor.status();
    const auto answers = (*predictor)->Predict(examples);
    if (!answers.ok()) return answers.status();
    const auto scores = answers->at("scores").flat<float>();
    return std::vector<float>(scores.data(), scores.data() + scores.size());
  }

  TempDir folder_;
};

class TransformStyleTest : public TransformTest,
                           public ::testing::WithParamInterface<const char*> {};

TEST_P(TransformStyleTest, AModelOfTransformedExamplesServesRawOnes) {
  const ExecutorInput input = Input(FixturePath(GetParam()));
  const Trained trained = Train(input);
  ASSERT_TRUE(trained.status.ok()) << trained.status;
  EXPECT_GE(trained.output.metrics.at("accuracy"), 0.9);
  EXPECT_TRUE(std::filesystem::exists(
      input.serving_model_dir + "/assets.extra/tf_serving_warmup_requests"))
      << trained.log;

  const auto expected = Scores("serving_transformed", Examples("transformed"));
  ASSERT_TRUE(expected.ok()) << expected.status();
  const auto served = Scores("serving_default", Examples("raw"));
  ASSERT_TRUE(served.ok()) << served.status();
  EXPECT_EQ(served->size(), expected->size());
  EXPECT_THAT(*served,
              ::testing::Pointwise(::testing::FloatNear(1e-5f), *expected));
  const auto unlabelled =
      Scores("serving_default", Without("species", Examples("raw")));
  ASSERT_TRUE(unlabelled.ok()) << unlabelled.status();
  EXPECT_EQ(*unlabelled, *served);
  const auto missing =
      Scores("serving_default", Without("island", Examples("raw")));
  EXPECT_THAT(missing.status().message(), HasSubstr("island"));
}

TEST_P(TransformStyleTest, AnExportThatTakesRawExamplesIsProbedByTransformed) {
  const ExecutorInput input = Input(FixturePath(GetParam()));
  ASSERT_TRUE(Train(input).status.ok());
  const std::string& model = input.serving_model_dir;
  EXPECT_TRUE(ProbeModel(model, FixturePath("raw/Split-eval/*")).ok());
  const absl::Status probed =
      ProbeModel(model, FixturePath("transformed/Split-eval/*"),
                 ExampleForm::kTransformed);
  EXPECT_TRUE(probed.ok()) << probed;
}

TEST_P(TransformStyleTest, FeaturesAreFoundByName) {
  const auto transform = ReadTransformGraph(FixturePath(GetParam()));
  ASSERT_TRUE(transform.ok()) << transform.status();
  EXPECT_EQ(transform->inputs.size(), 9);
  EXPECT_TRUE(transform->inputs.at("seen").is_sparse());
  EXPECT_EQ(transform->inputs.at("year").shape.dim_size(1), 1);
  EXPECT_TRUE(transform->outputs.at("seen").is_sparse());
  EXPECT_EQ(transform->assets.size(), 4);
  EXPECT_THAT(transform->InputsOf({"species"}), ElementsAre("species"));
  EXPECT_THAT(transform->InputsOf({"mass_bucket", "sex", "island_name"}),
              ElementsAre("body_mass_g", "island", "sex"));
}

INSTANTIATE_TEST_SUITE_P(Styles, TransformStyleTest,
                         ::testing::Values("graph", "graph_v1"),
                         [](const auto& test) { return test.param; });

TEST_F(TransformTest, VariablesOfTheGraphAreKeptWithTheirValues) {
  const auto transform = ReadTransformGraph(FixturePath("graph"));
  ASSERT_TRUE(transform.ok()) << transform.status();
  ASSERT_EQ(transform->variables.size(), 2);
  EXPECT_EQ(transform->variables.at("factor").scalar<float>()(), 0.5f);
  const auto words =
      transform->variables.at("words").flat<tensorflow::tstring>();
  EXPECT_EQ(words(2), "many");
}

TEST_F(TransformTest, AWarmStartTakesOverTheModelsVariablesAndNoOthers) {
  ExecutorInput input = Input(FixturePath("graph"));
  ASSERT_TRUE(Train(input).status.ok());
  input.base_model = input.serving_model_dir;
  input.serving_model_dir = folder_ / "warm/Format-Serving";
  input.model_run_dir = folder_ / "warm_run";
  const Trained warm = Train(input);
  ASSERT_TRUE(warm.status.ok()) << warm.status;
  for (const auto& variable : warm.output.warm_start->variables) {
    EXPECT_TRUE(variable.restored) << variable.name << ": " << variable.reason;
    EXPECT_FALSE(variable.name.starts_with("transform")) << variable.name;
  }
}

TEST_F(TransformTest, NumClassesLeavesOutTheClassOfUnknownWords) {
  ExecutorInput input = Input(FixturePath("graph"));
  input.custom_config["params_override"] = "task.num_classes=3";
  const Trained trained = Train(input);
  ASSERT_TRUE(trained.status.ok()) << trained.status;
  const auto scores = Scores("serving_default", Examples("raw"));
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_EQ(scores->size(), 3 * Examples("raw").size());
}

TEST_F(TransformTest, AFeatureMadeFromTheLabelIsRefused) {
  ExecutorInput input = Input(FixturePath("graph"));
  input.custom_config = {{"label_key", "island"},
                         {"params_override", "task.default_hash_buckets=8"}};
  const Trained trained = Train(input);
  EXPECT_EQ(trained.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(trained.status.message(),
              HasSubstr("makes the feature 'island_name' from the label"));
}

// What is done to a copy of the artifact, and the sentence it is refused with.
struct BadGraph {
  std::string name;
  std::function<void(const std::string& folder)> damage;
  absl::StatusCode code;
  std::string message;
};

void Replace(const std::string& path, const std::string& from,
             const std::string& to) {
  std::string text = *ReadWholeFile(path);
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  std::ofstream(path) << text;
}

class BadGraphTest : public TransformTest,
                     public ::testing::WithParamInterface<BadGraph> {};

TEST_P(BadGraphTest, IsRefusedInOneSentence) {
  const std::string graph = folder_ / "graph";
  std::filesystem::copy(FixturePath("graph"), graph,
                        std::filesystem::copy_options::recursive);
  GetParam().damage(graph);
  const Trained trained = Train(Input(graph));
  EXPECT_EQ(trained.status.code(), GetParam().code) << trained.status;
  EXPECT_THAT(trained.status.message(), HasSubstr(GetParam().message));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "model"));
}

INSTANTIATE_TEST_SUITE_P(
    Transform, BadGraphTest,
    ::testing::ValuesIn(std::vector<BadGraph>{
        {"NoTransformFn",
         [](const std::string& folder) {
           std::filesystem::remove_all(folder + "/transform_fn");
         },
         absl::StatusCode::kNotFound,
         "it has no 'transform_fn/saved_model.pb'"},
        {"NoTransformedMetadata",
         [](const std::string& folder) {
           std::filesystem::remove_all(folder + "/transformed_metadata");
         },
         absl::StatusCode::kNotFound,
         "it has no 'transformed_metadata/schema.pbtxt'"},
        {"NoVocabulary",
         [](const std::string& folder) {
           std::filesystem::remove(folder + "/transform_fn/assets/sex");
         },
         absl::StatusCode::kNotFound, "assets/sex' is not there"},
        {"AnotherSavedModel",
         [](const std::string& folder) {
           Replace(folder + "/transform_fn/saved_model.pb", "transform_fn",
                   "transform_gn");
         },
         absl::StatusCode::kInvalidArgument,
         "it is not tensorflow_transform's: it has no function 'transform_fn'"},
        {"NoGraph",
         [](const std::string& folder) {
           std::ofstream(folder + "/transform_fn/saved_model.pb") << "no proto";
         },
         absl::StatusCode::kDataLoss, "cannot be read"},
        {"ARawFeatureThatTheSchemaHasNot",
         [](const std::string& folder) {
           Replace(folder + "/metadata/schema.pbtxt", "\"sex\"", "\"gender\"");
         },
         absl::StatusCode::kInvalidArgument,
         "takes the raw feature 'sex', which schema"},
        {"AFeatureThatTheGraphDoesNotMake",
         [](const std::string& folder) {
           Replace(folder + "/transformed_metadata/schema.pbtxt",
                   "\"mass_bucket\"", "\"mass\"");
         },
         absl::StatusCode::kInvalidArgument,
         "does not make the feature 'mass' of its own schema"},
        {"NoLabel",
         [](const std::string& folder) {
           Replace(folder + "/transformed_metadata/schema.pbtxt", "\"species\"",
                   "\"kind\"");
         },
         absl::StatusCode::kInvalidArgument,
         "has no feature 'species', which label_key names"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rekindle
