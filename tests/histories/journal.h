#ifndef REKINDLE_TESTS_HISTORIES_JOURNAL_H_
#define REKINDLE_TESTS_HISTORIES_JOURNAL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rekindle::histories {

// What happened, in one order for all processes of a history.
struct Record {
  enum class Kind : uint8_t {
    // To a file:
    kCreate,
    kDelete,
    kWrite,
    kTruncate,
    kSync,
    // To a transaction, told by the worker that it belongs to:
    kMayChange,  // it is about to be committed, or deleted
    kPresent,    // its commit was acknowledged
    kAbsent,     // its deletion was acknowledged
    // For people who read a history:
    kNote,
  };
  enum class File : uint8_t { kDatabase, kLog };

  Kind kind = Kind::kNote;
  File file = File::kDatabase;
  uint8_t worker = 0;
  int64_t number = 0;            // an offset, a size, or a transaction
  absl::string_view bytes = {};  // what was written, or the note
};

// One line for people.
std::string Describe(const Record& record);

// Records in memory that processes share. A record is there when it is whole,
// whenever its writer is killed. Appending is thread-compatible across all
// processes: one at a time.
class Journal {
 public:
  static constexpr size_t kCapacity = size_t{96} << 20;

  // Forgets everything.
  void Clear() { end_ = 0; }

  void Append(const Record& record);

  // A position that records appended later lie behind.
  uint64_t end() const { return end_; }

  // The record at `position`, which is set to the next one.
  Record Read(uint64_t& position) const;

  // The positions of all records, and the end.
  std::vector<uint64_t> Positions() const;

 private:
  std::atomic<uint64_t> end_ = 0;
  char bytes_[kCapacity];
};

}  // namespace rekindle::histories

#endif  // REKINDLE_TESTS_HISTORIES_JOURNAL_H_
