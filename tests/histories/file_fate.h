#ifndef REKINDLE_TESTS_HISTORIES_FILE_FATE_H_
#define REKINDLE_TESTS_HISTORIES_FILE_FATE_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/histories/world.h"
#include "tests/metadata/checking_vfs.h"

namespace rekindle::histories {

// Stands between a worker and its files: records what happens to them, lets
// other workers run, and has calls fail or the process be killed. Thread-safe.
class FileFate : public FileObserver {
 public:
  struct Plan {
    uint32_t slot = 1;
    int worker = 1;
    std::string path;
    bool honest = true;
    int64_t kill_at = 0;    // the call at which to be killed; 0 is never
    int64_t fail_from = 0;  // the first call to fail; 0 is none
    int64_t fail_until = 0;
    int failure = 0;  // SQLite's code
  };

  FileFate(World& world, Plan plan) : world_(world), plan_(std::move(plan)) {}

  int Before(FileCall& call) override;
  void After(const FileCall& call, int result) override;
  void Violated(const std::string& what) override;

 private:
  bool IsOurs(const FileCall& call) const;
  bool IsRecorded(const FileCall& call) const;
  bool Fails(const FileCall& call, int64_t number) const;
  void BeforeChange(FileCall& call, int64_t number);
  void Append(const FileCall& call, Record::Kind kind);
  [[noreturn]] void Die();

  World& world_;
  const Plan plan_;
  std::atomic<int64_t> calls_ = 0;
  std::atomic<bool> dying_ = false;
};

}  // namespace rekindle::histories

#endif  // REKINDLE_TESTS_HISTORIES_FILE_FATE_H_
