#ifndef REKINDLE_TESTS_FUZZ_FUZZED_STORE_H_
#define REKINDLE_TESTS_FUZZ_FUZZED_STORE_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/open_store.h"
#include "metadata/sqlite/database.h"
#include "tests/fuzz/require.h"

namespace rekindle {

// A small store with some of everything in it, and a second connection to its
// file that sees what calls leave there. Every broken promise ends the process
// with a message, which is how a fuzzer reports.
class FuzzedStore {
 public:
  FuzzedStore();
  ~FuzzedStore();
  FuzzedStore(const FuzzedStore&) = delete;
  FuzzedStore& operator=(const FuzzedStore&) = delete;

  MetadataStore& metadata() { return store_->metadata(); }

  // What every call promises: whatever it was asked, it is never our bug, and
  // if it fails nothing has changed.
  void CheckCall(const absl::Status& status);

  // Goes back to how the store was at first, if it has changed; now and then
  // checks the file on the way.
  void Restore();

 private:
  void Open();
  void Fill();
  // Changes whenever the file does.
  int64_t DataVersion();

  std::filesystem::path folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Database> watcher_;
  int64_t first_version_ = 0;  // of the store as it was opened
  int64_t version_ = 0;        // after the last call
  int64_t restored_ = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_TESTS_FUZZ_FUZZED_STORE_H_
