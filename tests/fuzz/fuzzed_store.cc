#include "tests/fuzz/fuzzed_store.h"

#include <cstdlib>
#include <iostream>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "google/protobuf/text_format.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

// How often the whole file is checked.
constexpr int64_t kChecksEvery = 256;

constexpr const char* kTypes = R"pb(
  artifact_types {
    name: 'Data'
    external_id: 'type'
    properties { key: 'i' value: INT }
    properties { key: 'd' value: DOUBLE }
    properties { key: 's' value: STRING }
    properties { key: 'b' value: BOOLEAN }
    properties { key: 't' value: STRUCT }
    properties { key: 'p' value: PROTO }
  }
  execution_types {
    name: 'Train'
    properties { key: 'i' value: INT }
  }
  context_types {
    name: 'Run'
    properties { key: 's' value: STRING }
  }
)pb";

// Types 1 to 9 come with every store: Data is 10, Train 11 and Run 12.
constexpr const char* kGraph = R"pb(
  artifacts {
    type_id: 10
    name: 'a'
    uri: 'u'
    state: LIVE
    external_id: 'x'
    properties {
      key: 'i'
      value { int_value: 1 }
    }
    properties {
      key: 's'
      value { string_value: 'one' }
    }
    custom_properties {
      key: 'c'
      value { double_value: 0.5 }
    }
  }
  artifacts {
    type_id: 10
    name: 'b'
    uri: 'u'
    state: PENDING
    properties {
      key: 'b'
      value { bool_value: true }
    }
  }
  artifacts { type_id: 10 uri: 'v' }
  executions { type_id: 11 name: 'e' last_known_state: COMPLETE }
  executions {
    type_id: 11
    last_known_state: RUNNING
    properties {
      key: 'i'
      value { int_value: -1 }
    }
  }
  contexts {
    type_id: 12
    name: 'r'
    properties {
      key: 's'
      value { string_value: 'two' }
    }
  }
  contexts { type_id: 12 name: 'q' }
  event_edges {
    execution_index: 0
    artifact_index: 0
    event {
      type: INPUT
      path { steps { key: 'k' } }
    }
  }
  event_edges {
    execution_index: 0
    artifact_index: 1
    event { type: OUTPUT }
  }
  event_edges {
    execution_index: 1
    artifact_index: 1
    event { type: INPUT }
  }
  event_edges {
    execution_index: 1
    artifact_index: 2
    event { type: OUTPUT }
  }
)pb";

template <typename Message>
Message Parse(const char* text) {
  Message message;
  Require(google::protobuf::TextFormat::ParseFromString(text, &message), text);
  return message;
}

template <typename Answer>
void RequireOk(const absl::StatusOr<Answer>& answer) {
  Require(answer.ok(), answer.status().ToString());
}

fs::path MakeFolder() {
  // In memory where there is such a place: the fuzzers write all the time.
  const fs::path parent = fs::is_directory("/dev/shm")
                              ? fs::path("/dev/shm")
                              : fs::temp_directory_path();
  std::string folder = (parent / "rekindle-fuzz-XXXXXX").string();
  Require(mkdtemp(folder.data()) != nullptr, "no folder: " + folder);
  return folder;
}

bool IsOurBug(const absl::Status& status) {
  return status.code() == absl::StatusCode::kInternal ||
         status.code() == absl::StatusCode::kUnknown ||
         status.code() == absl::StatusCode::kDataLoss;
}

}  // namespace

FuzzedStore::FuzzedStore() : folder_(MakeFolder()) {
  Open();
  Fill();
  store_.reset();  // Its last connection leaves one whole file.
  fs::copy_file(folder_ / "store.db", folder_ / "first.db");
  Open();
}

FuzzedStore::~FuzzedStore() {
  store_.reset();
  watcher_.reset();
  fs::remove_all(folder_);
}

void FuzzedStore::Open() {
  const std::string path = (folder_ / "store.db").string();
  auto store = OpenSqliteStore(path, SystemClock());
  RequireOk(store);
  store_ = *std::move(store);
  auto watcher = Database::Open(path, Database::Mode::kReadOnly);
  RequireOk(watcher);
  watcher_ = *std::move(watcher);
  first_version_ = version_ = DataVersion();
}

void FuzzedStore::Fill() {
  RequireOk(metadata().PutTypes(Parse<ml_metadata::PutTypesRequest>(kTypes)));
  RequireOk(metadata().PutLineageSubgraph(
      Parse<ml_metadata::PutLineageSubgraphRequest>(kGraph)));
  RequireOk(
      metadata().PutParentContexts(Parse<ml_metadata::PutParentContextsRequest>(
          "parent_contexts { child_id: 2 parent_id: 1 }")));
  watcher_.reset();
}

int64_t FuzzedStore::DataVersion() {
  const auto version = watcher_->QueryInt("PRAGMA data_version");
  RequireOk(version);
  return *version;
}

void FuzzedStore::CheckCall(const absl::Status& status) {
  Require(!IsOurBug(status), status.ToString());
  const int64_t version = DataVersion();
  Require(status.ok() || version == version_,
          "changed the store, and failed: " + status.ToString());
  version_ = version;
}

void FuzzedStore::Restore() {
  if (version_ == first_version_) return;
  if (++restored_ % kChecksEvery == 0) {
    const auto problems = watcher_->QueryInt(
        "SELECT count(*) FROM pragma_integrity_check WHERE "
        "integrity_check != 'ok'");
    RequireOk(problems);
    Require(*problems == 0, "the file is damaged");
  }
  watcher_.reset();
  store_.reset();
  fs::copy_file(folder_ / "first.db", folder_ / "store.db",
                fs::copy_options::overwrite_existing);
  Open();
}

}  // namespace rekindle
