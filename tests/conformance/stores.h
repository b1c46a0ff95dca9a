#ifndef REKINDLE_TESTS_CONFORMANCE_STORES_H_
#define REKINDLE_TESTS_CONFORMANCE_STORES_H_

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/api/open_store.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace rekindle {

// A way to have an empty store. Every implementation of the interface is one
// of these, and passes the same tests.
struct StoreFactory {
  std::string name;
  std::function<absl::StatusOr<std::unique_ptr<Store>>(
      const std::filesystem::path& folder, const Clock& clock)>
      open;
};

std::vector<StoreFactory> AllStores();

// An empty store with three types, at a clock that stands still.
//
//   DataSet  artifacts, with day: INT, split: STRING and one of every kind
//   Trainer  executions, with steps: INT
//   Run      contexts, with note: STRING
class StoreTest : public ::testing::TestWithParam<StoreFactory> {
 protected:
  void SetUp() override;
  void TearDown() override;

  MetadataStore& metadata() { return store_->metadata(); }
  StepStore& steps() { return store_->steps(); }

  // Calls a method with a request in text format, where $0 is the id of
  // DataSet, $1 of Trainer and $2 of Run:
  //
  //   Call(&MetadataStore::PutArtifacts, "artifacts { type_id: $0 }")
  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(
      absl::StatusOr<Response> (MetadataStore::*method)(const Request&),
      const std::string& text) {
    return (metadata().*method)(Parse<Request>(Fill(text)));
  }
  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(
      absl::StatusOr<Response> (MetadataStore::*method)(const Request&) const,
      const std::string& text) {
    return (metadata().*method)(Parse<Request>(Fill(text)));
  }
  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(
      absl::StatusOr<Response> (StepStore::*method)(const Request&),
      const std::string& text) {
    return (steps().*method)(Parse<Request>(Fill(text)));
  }

  // Puts one node, as text without the type, and returns its id.
  int64_t PutArtifact(const std::string& text = "");
  int64_t PutExecution(const std::string& text = "");
  int64_t PutContext(const std::string& text);

  ml_metadata::Artifact GetArtifact(int64_t id);
  ml_metadata::Execution GetExecution(int64_t id);
  ml_metadata::Context GetContext(int64_t id);

  FakeClock clock_{absl::FromUnixMillis(1'000'000)};
  std::filesystem::path folder_;
  int64_t dataset_ = 0;
  int64_t trainer_ = 0;
  int64_t run_ = 0;

 private:
  std::string Fill(const std::string& text) const {
    return absl::Substitute(text, dataset_, trainer_, run_);
  }

  std::unique_ptr<Store> store_;
};

#define RK_FOR_ALL_STORES(Suite)                                         \
  INSTANTIATE_TEST_SUITE_P(Stores, Suite,                                \
                           ::testing::ValuesIn(::rekindle::AllStores()), \
                           [](const auto& store) { return store.param.name; })

}  // namespace rekindle

#endif  // REKINDLE_TESTS_CONFORMANCE_STORES_H_
