#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "metadata/api/open_store.h"
#include "tests/conformance/random_graph.h"
#include "tests/conformance/stores.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ExportOf(Store& store) {
  std::string text;
  EXPECT_THAT(store.maintenance().Export([&](absl::string_view bytes) {
    absl::StrAppend(&text, bytes);
    return absl::OkStatus();
  }),
              IsOk());
  return text;
}

// Stores that are empty but for the types that every store has.
class MaintenanceTest : public ::testing::TestWithParam<StoreFactory> {
 protected:
  // A new store; each call makes another.
  std::unique_ptr<Store> NewStore() {
    const std::string folder = dir_ / absl::StrCat("store-", stores_++);
    std::filesystem::create_directory(folder);
    auto store = GetParam().open(folder, SystemClock());
    EXPECT_THAT(store, IsOk());
    return *std::move(store);
  }

  absl::StatusOr<int64_t> Load(Store& store, const std::string& text) {
    return store.maintenance().Load(dir_.Write("export.jsonl", text));
  }

  TempDir dir_;
  int stores_ = 0;
};

TEST_P(MaintenanceTest, AnExportLoadsAndExportsAsTheSameBytes) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  const auto original = NewStore();
  for (uint64_t i = 0; i < 10; ++i) {
    ASSERT_THAT(WriteRandomGraph(original->metadata(), seed + i), IsOk());
  }
  const std::string text = ExportOf(*original);
  const auto copy = NewStore();
  ASSERT_THAT(Load(*copy, text), IsOk());
  EXPECT_EQ(ExportOf(*copy), text);
  EXPECT_THAT(copy->steps().Verify({})->problems(), IsEmpty());
  EXPECT_EQ(ReadGraph(copy->metadata())->SerializeAsString().size(),
            ReadGraph(original->metadata())->SerializeAsString().size());
}

TEST_P(MaintenanceTest, EveryByteOfAStringAndEveryDoubleSurvives) {
  const auto original = NewStore();
  ml_metadata::PutArtifactTypeRequest type;
  type.mutable_artifact_type()->set_name("T");
  const int64_t type_id = original->metadata().PutArtifactType(type)->type_id();
  ml_metadata::PutArtifactsRequest request;
  auto& artifact = *request.add_artifacts();
  artifact.set_type_id(type_id);
  auto& properties = *artifact.mutable_custom_properties();
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) {
    every_byte.push_back(static_cast<char>(byte));
  }
  properties["bytes"].set_string_value(every_byte);
  properties["nul"].set_string_value(std::string("a\0b", 3));
  for (const double value : {0.1, 1e-310, 1.7976931348623157e308, HUGE_VAL,
                             -HUGE_VAL, 0.30000000000000004}) {
    properties[absl::StrCat("double ", value)].set_double_value(value);
  }
  properties["large"].set_int_value(INT64_MIN);
  properties["proto"].mutable_proto_value()->set_type_url("x/unknown.Type");
  properties["proto"].mutable_proto_value()->set_value("\xFF\x01");
  ASSERT_THAT(original->metadata().PutArtifacts(request), IsOk());

  const auto copy = NewStore();
  ASSERT_THAT(Load(*copy, ExportOf(*original)), IsOk());
  ml_metadata::GetArtifactsByIDRequest get;
  get.add_artifact_ids(1);
  const auto before = original->metadata().GetArtifactsByID(get)->artifacts(0);
  const auto after = copy->metadata().GetArtifactsByID(get)->artifacts(0);
  EXPECT_THAT(after, LooksLike(before.DebugString()));
  EXPECT_EQ(after.custom_properties().at("bytes").string_value(), every_byte);
}

TEST_P(MaintenanceTest, DeletedIdsDoNotComeAgainAfterALoad) {
  const auto original = NewStore();
  ASSERT_THAT(WriteRandomGraph(original->metadata(), 1), IsOk());
  const int64_t last = ReadGraph(original->metadata())->contexts_size();
  v1::DeleteRequest deletion;
  deletion.add_context_ids(last);
  deletion.set_break_lineage(true);
  ASSERT_THAT(original->steps().Delete(deletion), IsOk());

  const auto copy = NewStore();
  ASSERT_THAT(Load(*copy, ExportOf(*original)), IsOk());
  ml_metadata::PutContextsRequest request;
  request.add_contexts()->set_name("new");
  request.mutable_contexts(0)->set_type_id(
      ReadGraph(copy->metadata())->context_types(0).id());
  EXPECT_THAT(copy->metadata().PutContexts(request)->context_ids(),
              ElementsAre(last + 1));
}

TEST_P(MaintenanceTest, AStoreThatIsNotEmptyIsNotLoadedInto) {
  const auto original = NewStore();
  ASSERT_THAT(WriteRandomGraph(original->metadata(), 1), IsOk());
  const std::string text = ExportOf(*original);
  EXPECT_THAT(Load(*original, text), StatusIs(StatusCode::kFailedPrecondition,
                                              HasSubstr("is not empty")));
  EXPECT_EQ(ExportOf(*original), text);
}

TEST_P(MaintenanceTest, AnEmptyStoreIsAnExportToo) {
  const std::string text = ExportOf(*NewStore());
  const auto copy = NewStore();
  EXPECT_THAT(Load(*copy, text), IsOk());
  EXPECT_EQ(ExportOf(*copy), text);
}

TEST_P(MaintenanceTest, WhatIsNotAWholeExportIsRefusedWithItsLine) {
  const auto original = NewStore();
  ASSERT_THAT(WriteRandomGraph(original->metadata(), 1), IsOk());
  const std::string text = ExportOf(*original);
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const std::string headless =
      absl::StrJoin(lines.begin() + 1, lines.end(), "\n");
  const std::string cut_off =
      absl::StrJoin(lines.begin(), lines.end() - 2, "\n");
  const std::string short_of_one =
      absl::StrCat(absl::StrJoin(lines.begin(), lines.end() - 3, "\n"), "\n",
                   lines[lines.size() - 2], "\n");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "not an export"},
      {"SQLite format 3", "line 1: not a record"},
      {headless, "line 1: an export starts with a header"},
      {cut_off, "cut off"},
      {short_of_one, "records, but"},
      {absl::StrCat(text, lines[1], "\n"), "behind the end"},
      {absl::StrCat(lines[0], "\n", lines[1], "\n", lines[1], "\n"),
       "line 3: type 1 comes twice"},
      {absl::StrCat(lines[0], "\n{\"artifact\":{\"id\":1,\"type_id\":7}}\n"),
       "line 2: artifact 1 has type 7"},
      {absl::StrReplaceAll(text,
                           {{"\"format_version\":1", "\"format_version\":9"}}),
       "line 1: an export of format 9"},
  };
  const auto store = NewStore();
  const std::string before = ExportOf(*store);
  for (const auto& [content, message] : wrong) {
    EXPECT_THAT(Load(*store, content),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(message)));
    EXPECT_EQ(ExportOf(*store), before);
  }
}

TEST_P(MaintenanceTest, AMissingFileIsNamed) {
  EXPECT_THAT(NewStore()->maintenance().Load(dir_ / "none"),
              StatusIs(StatusCode::kNotFound, HasSubstr("none")));
}

TEST_P(MaintenanceTest, AnErrorOfTheSinkEndsTheExport) {
  EXPECT_THAT(NewStore()->maintenance().Export([](absl::string_view) {
    return absl::ResourceExhaustedError("full");
  }),
              StatusIs(StatusCode::kResourceExhausted, "full"));
}

RK_FOR_ALL_STORES(MaintenanceTest);

// --- backup: of stores with a file
// -----------------------------------------------

class BackupTest : public ::testing::Test {
 protected:
  BackupTest() : store_(*OpenSqliteStore(dir_ / "m.db", SystemClock())) {
    EXPECT_THAT(WriteRandomGraph(store_->metadata(), 1), IsOk());
  }

  TempDir dir_;
  std::unique_ptr<Store> store_;
};

TEST_F(BackupTest, TheCopyIsWholeAndAFileOfItsOwn) {
  int64_t last = 0;
  ASSERT_THAT(store_->maintenance().Backup(dir_ / "copy.db",
                                           [&](int64_t done, int64_t total) {
                                             EXPECT_LE(done, total);
                                             last = done;
                                             return absl::OkStatus();
                                           }),
              IsOk());
  EXPECT_FALSE(std::filesystem::exists(dir_ / "copy.db-wal"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "copy.db-journal"));
  const auto copy = *OpenSqliteStore(dir_ / "copy.db", SystemClock(),
                                     {.mode = OpenOptions::Mode::kReadOnly});
  EXPECT_EQ(ExportOf(*copy), ExportOf(*store_));
  EXPECT_THAT(copy->steps().Verify({})->problems(), IsEmpty());
}

TEST_F(BackupTest, ItIsOneMomentOfAStoreThatIsWrittenTo) {
  // Written to in the middle of the copy: what comes after its begin is not in
  // it, and nothing is half in it.
  for (uint64_t seed = 2; seed < 40; ++seed) {
    ASSERT_THAT(WriteRandomGraph(store_->metadata(), seed), IsOk());
  }
  const std::string before = ExportOf(*store_);
  bool written = false;
  ASSERT_THAT(store_->maintenance().Backup(
                  dir_ / "copy.db",
                  [&](int64_t, int64_t) {
                    if (written) return absl::OkStatus();
                    written = true;
                    return WriteRandomGraph(store_->metadata(), 99).status();
                  }),
              IsOk());
  ASSERT_TRUE(written) << "the store is too small to be copied in steps";
  EXPECT_EQ(ExportOf(**OpenSqliteStore(dir_ / "copy.db", SystemClock())),
            before);
  EXPECT_NE(ExportOf(*store_), before);
}

TEST_F(BackupTest, AnErrorOfTheProgressStopsIt) {
  for (uint64_t seed = 2; seed < 40; ++seed) {
    ASSERT_THAT(WriteRandomGraph(store_->metadata(), seed), IsOk());
  }
  EXPECT_THAT(
      store_->maintenance().Backup(
          dir_ / "copy.db",
          [](int64_t, int64_t) { return absl::CancelledError("stop"); }),
      StatusIs(StatusCode::kCancelled, "stop"));
}

TEST_F(BackupTest, AStoreInMemoryHasNoFileToCopy) {
  const auto memory = *OpenSqliteStore(":memory:", SystemClock());
  EXPECT_THAT(
      memory->maintenance().Backup(
          dir_ / "copy.db", [](int64_t, int64_t) { return absl::OkStatus(); }),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("export")));
}

}  // namespace
}  // namespace rekindle
