// Many threads on one store, embedded and through the server: every write that
// was acknowledged is there once, and no reader sees half of one. What else
// they could get wrong, ThreadSanitizer sees (./test tsan).
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "metadata/api/grpc_store.h"
#include "metadata/api/open_store.h"
#include "metadata/server/metadata_server.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

constexpr int kWriters = 6;
constexpr int kReaders = 4;
constexpr int kPutsEach = 25;

// Every put is a pair of artifacts with one uri: readers look for both or none.
class Load {
 public:
  explicit Load(Store& store) : store_(store) {}

  void SetUp() {
    RK_ASSERT_OK_AND_ASSIGN(
        const auto types,
        store_.metadata().PutTypes(Parse<ml_metadata::PutTypesRequest>(R"pb(
          artifact_types {
            name: 'Data'
            properties { key: 'writer' value: INT }
          }
          execution_types { name: 'Train' }
          context_types { name: 'Run' }
        )pb")));
    data_ = types.artifact_type_ids(0);
    train_ = types.execution_type_ids(0);
    run_ = types.context_type_ids(0);
  }

  void Run() {
    std::vector<std::thread> writers;
    std::vector<std::thread> readers;
    writers.reserve(kWriters);
    readers.reserve(kReaders);
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([this, i] { Write(i); });
    }
    for (int i = 0; i < kReaders; ++i) {
      readers.emplace_back([this] {
        while (!written_) Read();
        Read();
      });
    }
    for (std::thread& writer : writers) writer.join();
    written_ = true;
    for (std::thread& reader : readers) reader.join();
  }

  // Everything that the writers were told is stored.
  void Check() {
    RK_ASSERT_OK_AND_ASSIGN(const auto artifacts,
                            store_.metadata().GetArtifacts({}));
    EXPECT_EQ(artifacts.artifacts_size(), 2 * kWriters * kPutsEach);
    RK_ASSERT_OK_AND_ASSIGN(const auto executions,
                            store_.metadata().GetExecutions({}));
    EXPECT_EQ(executions.executions_size(), 2 * kWriters * kPutsEach);
    RK_ASSERT_OK_AND_ASSIGN(const auto contexts,
                            store_.metadata().GetContexts({}));
    EXPECT_EQ(contexts.contexts_size(), 1);
  }

 private:
  void Write(int writer) {
    for (int i = 0; i < kPutsEach; ++i) {
      PutPair(writer, i);
      PutRefused(writer);
      TakeStep(absl::StrCat(writer, "/", i));
    }
  }

  void PutPair(int writer, int i) {
    ml_metadata::PutExecutionRequest request;
    request.mutable_execution()->set_type_id(train_);
    request.mutable_options()->set_reuse_context_if_already_exist(true);
    auto& context = *request.add_contexts();
    context.set_type_id(run_);
    context.set_name("all of it");
    for (int half = 0; half < 2; ++half) {
      auto& pair = *request.add_artifact_event_pairs();
      pair.mutable_artifact()->set_type_id(data_);
      pair.mutable_artifact()->set_uri(absl::StrCat(writer, "/", i));
      (*pair.mutable_artifact()->mutable_properties())["writer"].set_int_value(
          writer);
      pair.mutable_event()->set_type(ml_metadata::Event::OUTPUT);
    }
    EXPECT_THAT(store_.metadata().PutExecution(request), IsOk());
  }

  // In the same batch as the others, and without a trace.
  void PutRefused(int writer) {
    ml_metadata::PutArtifactsRequest request;
    request.add_artifacts()->set_type_id(data_);
    (*request.mutable_artifacts(0)->mutable_properties())["undeclared"]
        .set_int_value(writer);
    EXPECT_THAT(store_.metadata().PutArtifacts(request),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }

  void TakeStep(const std::string& name) {
    rekindle::v1::ClaimRequest claim;
    claim.set_external_id(name);
    claim.mutable_execution_type()->set_name("Train");
    claim.set_lease_millis(60'000);
    EXPECT_THAT(store_.steps().Claim(claim), IsOk());
  }

  void Read() {
    ml_metadata::GetArtifactsRequest list;
    list.mutable_options()->set_filter_query(
        "contexts_a.name = 'all of it' AND properties.writer.int_value = 0");
    list.mutable_options()->set_max_result_size(100);
    const auto listed = store_.metadata().GetArtifacts(list);
    ASSERT_THAT(listed, IsOk());
    EXPECT_EQ(listed->artifacts_size() % 2, 0) << "half a write was seen";

    ml_metadata::GetLineageSubgraphRequest walk;
    walk.mutable_lineage_subgraph_query_options()
        ->mutable_starting_artifacts()
        ->set_filter_query("uri = '0/0'");
    const auto walked = store_.metadata().GetLineageSubgraph(walk);
    if (absl::IsNotFound(walked.status())) return;  // Not written yet.
    ASSERT_THAT(walked, IsOk());
    EXPECT_EQ(walked->lineage_subgraph().artifacts_size(), 2);
  }

  Store& store_;
  std::atomic<bool> written_ = false;
  int64_t data_ = 0;
  int64_t train_ = 0;
  int64_t run_ = 0;
};

void RunLoad(Store& store) {
  Load load(store);
  load.SetUp();
  load.Run();
  load.Check();
}

TEST(ConcurrencyTest, ManyThreadsOnAFile) {
  const TempDir folder;
  RK_ASSERT_OK_AND_ASSIGN(const auto store,
                          OpenSqliteStore(folder / "store.db", SystemClock()));
  RunLoad(*store);
}

TEST(ConcurrencyTest, ManyThreadsOnAStoreInMemory) {
  RK_ASSERT_OK_AND_ASSIGN(const auto store,
                          OpenSqliteStore(":memory:", SystemClock()));
  RunLoad(*store);
}

TEST(ConcurrencyTest, ManyThreadsThroughTheServer) {
  const TempDir folder;
  RK_ASSERT_OK_AND_ASSIGN(const auto store,
                          OpenSqliteStore(folder / "store.db", SystemClock()));
  RK_ASSERT_OK_AND_ASSIGN(const auto server,
                          StartMetadataServer(*store, {.grpc_port = 0}));
  const auto client =
      ConnectGrpcStore(absl::StrCat("127.0.0.1:", server->grpc_port()));
  RunLoad(*client);
  server->Shutdown(absl::Seconds(10));
}

}  // namespace
}  // namespace rekindle
