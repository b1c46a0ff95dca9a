// The rules by which TFX 1.21 chooses artifacts, written down a second time in
// the plainest way, against what Resolve chooses in random stores.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/artifact_roots.h"
#include "component/resolve/digest_check.h"
#include "component/resolve/resolver.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "tests/component/resolve/resolve_graph.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;

// What the test knows of an artifact of pipeline `p`.
struct Known {
  int64_t id = 0;
  std::string type;
  Artifact::State state = Artifact::LIVE;
  int64_t create_millis = 0;
  bool is_output = true;
  bool has_files = true;
  bool is_partial = false;
  std::optional<int64_t> span;
  std::optional<double> score;
  bool is_blessed = false;            // of a ModelBlessing
  std::optional<int64_t> blesses_id;  // of a ModelBlessing
};

// --- the rules --------------------------------------------------------------

using Ids = std::vector<int64_t>;

class Rules {
 public:
  explicit Rules(const std::vector<Known>& all) : all_(all) {}

  // Channel resolution: LIVE outputs of the pipeline's executions, of the type;
  // and, besides TFX's rules, only those that can be used.
  std::vector<Known> Candidates(const std::string& type, bool allow_partial,
                                bool need_files = true) const {
    std::vector<Known> found;
    for (const Known& known : all_) {
      if (known.type == type && known.state == Artifact::LIVE &&
          known.is_output && (known.has_files || !need_files) &&
          (!known.is_partial || allow_partial)) {
        found.push_back(known);
      }
    }
    return found;
  }

  static Ids LatestArtifact(std::vector<Known> found) {
    std::sort(found.begin(), found.end(),
              [](const Known& a, const Known& b) { return a.id > b.id; });
    return found.empty() ? Ids{} : Ids{found[0].id};
  }

  Ids LatestBlessed(const std::vector<Known>& models) const {
    std::set<int64_t> blessed;
    for (const Known& blessing :
         Candidates("ModelBlessing", true, /*need_files=*/false)) {
      if (blessing.is_blessed) blessed.insert(*blessing.blesses_id);
    }
    std::vector<Known> good;
    for (const Known& model : models) {
      if (blessed.contains(model.id)) good.push_back(model);
    }
    return LatestArtifact(good);
  }

  static Ids LatestCreated(std::vector<Known> found, size_t count) {
    std::sort(found.begin(), found.end(), [](const Known& a, const Known& b) {
      return std::pair(a.create_millis, a.id) <
             std::pair(b.create_millis, b.id);
    });
    const size_t skip = found.size() - std::min(found.size(), count);
    return IdsOf(
        {found.begin() + static_cast<std::ptrdiff_t>(skip), found.end()});
  }

  static Ids SpanRange(const std::vector<Known>& found, int64_t first,
                       int64_t last) {
    std::vector<Known> in_range;
    for (const Known& known : found) {
      if (known.span.has_value() && *known.span >= first &&
          *known.span <= last) {
        in_range.push_back(known);
      }
    }
    std::stable_sort(
        in_range.begin(), in_range.end(),
        [](const Known& a, const Known& b) { return *a.span > *b.span; });
    return IdsOf(in_range);
  }

  static Ids RollingRange(const std::vector<Known>& found, int64_t count,
                          int64_t from) {
    int64_t newest = -1;
    for (const Known& known : found) {
      newest = std::max(newest, known.span.value_or(-1));
    }
    return SpanRange(found, std::max(from, newest - count + 1), newest);
  }

  static Ids Best(const std::vector<Known>& found, bool highest) {
    std::optional<Known> best;
    for (const Known& known : found) {
      if (!known.score.has_value() || std::isnan(*known.score)) continue;
      const bool better = !best.has_value() || *known.score == *best->score ||
                          (*known.score > *best->score) == highest;
      if (better) best = known;  // They come by id, ascending.
    }
    return best.has_value() ? Ids{best->id} : Ids{};
  }

 private:
  static Ids IdsOf(const std::vector<Known>& found) {
    Ids ids;
    for (const Known& known : found) ids.push_back(known.id);
    return ids;
  }

  const std::vector<Known>& all_;
};

// --- a random store ---------------------------------------------------------

class World {
 public:
  explicit World(uint64_t seed) : random_(seed) {
    dir_.Write("files/file", "");
    const int64_t count = Random(0, 40);
    for (int64_t i = 0; i < count; ++i) Add();
  }

  const std::vector<Known>& all() const { return all_; }

  int64_t Random(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }

  Ids ResolveIds(const std::string& type, const std::string& ref,
                 bool allow_partial) {
    const auto resolution =
        Resolve({type, *ParseArtifactRef(ref), "p", "run-1", allow_partial,
                 FileRules{ArtifactRoots(dir_.path(), {})}},
                graph_.metadata());
    EXPECT_THAT(resolution, IsOk());
    Ids ids;
    for (const Artifact& artifact : resolution->chosen) {
      ids.push_back(artifact.id());
    }
    return ids;
  }

 private:
  bool OneIn(int64_t n) { return Random(1, n) == 1; }

  void Add() {
    // The clock may go back, and several may be created at one time.
    graph_.clock().Advance(absl::Milliseconds(Random(-2, 3)));
    Known known;
    known.create_millis = absl::ToUnixMillis(graph_.clock().Now());
    Artifact artifact;
    switch (Random(0, 2)) {
      case 0:
        AddModel(known, artifact);
        break;
      case 1:
        AddExamples(known, artifact);
        break;
      default:
        AddBlessing(known, artifact);
        break;
    }
    if (OneIn(4)) known.state = static_cast<Artifact::State>(Random(0, 6));
    known.has_files = !OneIn(4);
    known.is_output = !OneIn(5);
    artifact.set_state(known.state);
    artifact.set_uri(dir_ / (known.has_files ? "files" : "gone"));
    Put(known, std::move(artifact));
  }

  void AddModel(Known& known, Artifact& artifact) {
    known.type = "Model";
    auto& properties = *artifact.mutable_custom_properties();
    if (OneIn(5)) {
      known.is_partial = true;
      properties["train_complete"] = IntValue(0);
    } else if (OneIn(2)) {
      properties["train_complete"] = IntValue(1);
    }
    switch (Random(0, 4)) {
      case 0:
        properties["score"] = StringValue("7");
        break;
      case 1:
        known.score = std::numeric_limits<double>::quiet_NaN();
        properties["score"] = DoubleValue(*known.score);
        break;
      case 2:
        known.score = static_cast<double>(Random(-2, 2));
        properties["score"] = IntValue(static_cast<int64_t>(*known.score));
        break;
      case 3:
        known.score = static_cast<double>(Random(-4, 4)) / 2;
        properties["score"] = DoubleValue(*known.score);
        break;
      default:
        break;
    }
  }

  void AddExamples(Known& known, Artifact& artifact) {
    known.type = "Examples";
    known.span = Random(0, 9);
    switch (Random(0, 3)) {
      case 0:
        known.span = std::nullopt;
        break;
      case 1:
        (*artifact.mutable_custom_properties())["span"] =
            StringValue(absl::StrCat(*known.span));
        break;
      case 2:
        (*artifact.mutable_properties())["span"] = IntValue(*known.span);
        break;
      default:
        (*artifact.mutable_custom_properties())["span"] = IntValue(*known.span);
        break;
    }
  }

  void AddBlessing(Known& known, Artifact& artifact) {
    known.type = "ModelBlessing";
    known.is_blessed = !OneIn(3);
    known.blesses_id = Random(1, static_cast<int64_t>(all_.size()) + 1);
    auto& properties = *artifact.mutable_custom_properties();
    properties["blessed"] = IntValue(known.is_blessed ? 1 : 0);
    properties["current_model_id"] = IntValue(*known.blesses_id);
  }

  // What is not an output of the pipeline is one of another, and read by this.
  void Put(Known known, Artifact artifact) {
    const Place elsewhere = {.pipeline = "q", .run = "run-2"};
    known.id = graph_.PutOutput(known.type, std::move(artifact),
                                known.is_output ? Place() : elsewhere);
    if (!known.is_output || OneIn(3)) {
      graph_.PutInput(known.id, {.node = "Reader", .key = "input"});
    }
    all_.push_back(known);
  }

  TempDir dir_;
  ResolveGraph graph_;
  std::mt19937_64 random_;
  std::vector<Known> all_;
};

class TfxOrderTest : public ::testing::TestWithParam<int> {
 protected:
  TfxOrderTest()
      : seed_(std::random_device()()), world_(seed_), rules_(world_.all()) {}

  const uint64_t seed_;
  World world_;
  Rules rules_;
};

TEST_P(TfxOrderTest, ChoosesModelsAsTheRulesDo) {
  SCOPED_TRACE(absl::StrCat("seed ", seed_));
  for (const bool allow_partial : {false, true}) {
    const std::vector<Known> models = rules_.Candidates("Model", allow_partial);
    const int64_t count = world_.Random(1, 5);
    const auto resolve = [&](const std::string& ref) {
      return world_.ResolveIds("Model", ref, allow_partial);
    };
    EXPECT_EQ(resolve("latest"), Rules::LatestArtifact(models));
    EXPECT_EQ(resolve("latest-blessed"), rules_.LatestBlessed(models));
    EXPECT_EQ(resolve(absl::StrCat("latest-created:", count)),
              Rules::LatestCreated(models, count));
    EXPECT_EQ(resolve("best:score:max"), Rules::Best(models, true));
    EXPECT_EQ(resolve("best:score:min"), Rules::Best(models, false));
  }
}

TEST_P(TfxOrderTest, ChoosesSpansAsTheRulesDo) {
  SCOPED_TRACE(absl::StrCat("seed ", seed_));
  const std::vector<Known> examples = rules_.Candidates("Examples", false);
  const auto resolve = [&](const std::string& ref) {
    return world_.ResolveIds("Examples", ref, false);
  };
  for (int round = 0; round < 5; ++round) {
    const int64_t first = world_.Random(0, 9);
    const int64_t last = first + world_.Random(0, 5);
    EXPECT_EQ(resolve(absl::StrCat("span:", first, "-", last)),
              Rules::SpanRange(examples, first, last));
    const int64_t count = world_.Random(1, 6);
    EXPECT_EQ(resolve(absl::StrCat("spans:", count)),
              Rules::RollingRange(examples, count, 0));
    EXPECT_EQ(resolve(absl::StrCat("spans:", count, ":from=", first)),
              Rules::RollingRange(examples, count, first));
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, TfxOrderTest, ::testing::Range(0, 15));

}  // namespace
}  // namespace rekindle
