#include "tests/conformance/stores.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/api/grpc_store.h"
#include "metadata/server/metadata_server.h"

namespace rekindle {
namespace {

// A client, the server it talks to and the store behind that.
class ServedStore : public Store {
 public:
  static absl::StatusOr<std::unique_ptr<Store>> Open(const Clock& clock) {
    auto served = std::make_unique<ServedStore>();
    RK_ASSIGN_OR_RETURN(served->store_, OpenSqliteStore(":memory:", clock));
    RK_ASSIGN_OR_RETURN(
        served->server_,
        StartMetadataServer(*served->store_,
                            {.host = "127.0.0.1", .grpc_port = 0}));
    served->client_ = ConnectGrpcStore(
        absl::StrCat("127.0.0.1:", served->server_->grpc_port()));
    return served;
  }

  MetadataStore& metadata() override { return client_->metadata(); }
  StepStore& steps() override { return client_->steps(); }
  MaintenanceStore& maintenance() override { return client_->maintenance(); }

 private:
  std::unique_ptr<Store> store_;
  std::unique_ptr<MetadataServer> server_;
  std::unique_ptr<Store> client_;
};

}  // namespace

std::vector<StoreFactory> AllStores() {
  return {
      {"Memory",
       [](const auto&, const Clock& clock) {
         return OpenSqliteStore(":memory:", clock);
       }},
      {"File",
       [](const std::filesystem::path& folder, const Clock& clock) {
         return OpenSqliteStore(folder / "metadata.db", clock);
       }},
      {"Grpc", [](const auto&,
                  const Clock& clock) { return ServedStore::Open(clock); }},
  };
}

void StoreTest::SetUp() {
  std::string pattern = std::filesystem::temp_directory_path() / "rk.XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
  RK_ASSERT_OK_AND_ASSIGN(store_, GetParam().open(folder_, clock_));
  RK_ASSERT_OK_AND_ASSIGN(const auto types, Call(&MetadataStore::PutTypes, R"(
      artifact_types {
        name: 'DataSet'
        properties { key: 'day' value: INT }
        properties { key: 'ratio' value: DOUBLE }
        properties { key: 'split' value: STRING }
        properties { key: 'shape' value: STRUCT }
        properties { key: 'config' value: PROTO }
        properties { key: 'final' value: BOOLEAN }
      }
      execution_types { name: 'Trainer' properties { key: 'steps' value: INT } }
      context_types { name: 'Run' properties { key: 'note' value: STRING } })"));
  dataset_ = types.artifact_type_ids(0);
  trainer_ = types.execution_type_ids(0);
  run_ = types.context_type_ids(0);
}

void StoreTest::TearDown() {
  store_.reset();
  std::filesystem::remove_all(folder_);
}

int64_t StoreTest::PutArtifact(const std::string& text) {
  const auto response = Call(&MetadataStore::PutArtifacts,
                             "artifacts { type_id: $0 " + text + " }");
  EXPECT_THAT(response, IsOk());
  return response.ok() ? response->artifact_ids(0) : 0;
}

int64_t StoreTest::PutExecution(const std::string& text) {
  const auto response = Call(&MetadataStore::PutExecutions,
                             "executions { type_id: $1 " + text + " }");
  EXPECT_THAT(response, IsOk());
  return response.ok() ? response->execution_ids(0) : 0;
}

int64_t StoreTest::PutContext(const std::string& text) {
  const auto response = Call(&MetadataStore::PutContexts,
                             "contexts { type_id: $2 " + text + " }");
  EXPECT_THAT(response, IsOk());
  return response.ok() ? response->context_ids(0) : 0;
}

ml_metadata::Artifact StoreTest::GetArtifact(int64_t id) {
  const auto response = Call(&MetadataStore::GetArtifactsByID,
                             absl::StrCat("artifact_ids: ", id));
  EXPECT_THAT(response, IsOk());
  return response.ok() && response->artifacts_size() == 1
             ? response->artifacts(0)
             : ml_metadata::Artifact();
}

ml_metadata::Execution StoreTest::GetExecution(int64_t id) {
  const auto response = Call(&MetadataStore::GetExecutionsByID,
                             absl::StrCat("execution_ids: ", id));
  EXPECT_THAT(response, IsOk());
  return response.ok() && response->executions_size() == 1
             ? response->executions(0)
             : ml_metadata::Execution();
}

ml_metadata::Context StoreTest::GetContext(int64_t id) {
  const auto response =
      Call(&MetadataStore::GetContextsByID, absl::StrCat("context_ids: ", id));
  EXPECT_THAT(response, IsOk());
  return response.ok() && response->contexts_size() == 1
             ? response->contexts(0)
             : ml_metadata::Context();
}

}  // namespace rekindle
