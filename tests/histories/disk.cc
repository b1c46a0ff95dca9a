#include "tests/histories/disk.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <vector>

namespace rekindle::histories {
namespace {

using Kind = Record::Kind;

constexpr int64_t kSector = 512;

void Put(std::string& content, int64_t offset, absl::string_view bytes) {
  const size_t end = offset + bytes.size();
  if (content.size() < end) content.resize(end);
  content.replace(offset, bytes.size(), bytes.data(), bytes.size());
}

// Which changes that were not synced survive.
enum class Survival { kNone, kAll, kWhole, kSectors };

class File {
 public:
  explicit File(std::string content) : durable_(std::move(content)) {}

  void Change(const Record& record) { pending_.push_back(record); }

  void Sync() {
    for (const Record& change : pending_) Apply(change);
    pending_.clear();
  }

  // The power goes.
  std::string Survivor(Survival survival, Chance& chance) {
    for (const Record& change : pending_) {
      if (survival == Survival::kSectors && change.kind == Kind::kWrite) {
        ApplySectors(change, chance);
      } else if (survival == Survival::kAll ||
                 (survival != Survival::kNone && chance.OneIn(2))) {
        Apply(change);
      }
    }
    return durable_;
  }

 private:
  void Apply(const Record& change) {
    if (change.kind == Kind::kTruncate) {
      durable_.resize(change.number);
    } else {
      Put(durable_, change.number, change.bytes);
    }
  }

  void ApplySectors(const Record& change, Chance& chance) {
    int64_t at = change.number;
    absl::string_view left = change.bytes;
    while (!left.empty()) {
      const auto size = std::min<size_t>(kSector - at % kSector, left.size());
      if (chance.OneIn(2)) Put(durable_, at, left.substr(0, size));
      at += static_cast<int64_t>(size);
      left.remove_prefix(size);
    }
  }

  std::string durable_;
  std::vector<Record> pending_;
};

// The two files, and what their folder says of the log.
class Disk {
 public:
  explicit Disk(const std::string& database) : database_(database) {}

  void Replay(const Record& record) {
    if (record.kind >= Kind::kMayChange) return;
    if (record.file == Record::File::kLog) {
      ReplayLog(record);
    } else if (record.kind == Kind::kSync) {
      database_.Sync();
    } else {
      database_.Change(record);
    }
  }

  void Write(const std::string& path, Chance& chance) {
    const auto survival = static_cast<Survival>(chance.Below(4));
    std::ofstream(path, std::ios::binary)
        << database_.Survivor(survival, chance);
    File* const log = chance.OneIn(2) ? named_ : named_durably_;
    if (log == nullptr) return;
    std::ofstream(path + "-wal", std::ios::binary)
        << log->Survivor(survival, chance);
  }

 private:
  // A file that was deleted or created is so for good with the next sync of a
  // log: SQLite syncs the folder with a new file.
  void ReplayLog(const Record& record) {
    if (record.kind == Kind::kCreate) {
      named_ = &logs_.emplace_back("");
    } else if (record.kind == Kind::kDelete) {
      named_ = nullptr;
    } else if (named_ == nullptr) {
      return;  // to a file without a name
    } else if (record.kind == Kind::kSync) {
      named_->Sync();
      named_durably_ = named_;
    } else {
      named_->Change(record);
    }
  }

  File database_;
  std::deque<File> logs_;
  File* named_ = nullptr;
  File* named_durably_ = nullptr;
};

}  // namespace

void WriteWhatSurvives(const Journal& journal, uint64_t cut,
                       const std::string& first, Chance& chance,
                       const std::string& path) {
  Disk disk(first);
  for (uint64_t position = 0; position < cut;) {
    disk.Replay(journal.Read(position));
  }
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::filesystem::remove(path + suffix);
  }
  disk.Write(path, chance);
}

}  // namespace rekindle::histories
