#include "base/open_database.h"

#include <set>
#include <string>
#include <utility>

#include <sys/stat.h>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"

namespace rekindle {
namespace {

using FileId = std::pair<dev_t, ino_t>;

constexpr FileId kNoFile = {0, 0};

FileId IdOf(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return kNoFile;
  return {info.st_dev, info.st_ino};
}

// The files of all open databases; one is there as often as it is open.
class Registry {
 public:
  static Registry& Get() {
    static Registry& registry = *new Registry;
    return registry;
  }

  void Add(const FileId& file) {
    const absl::MutexLock lock(&mutex_);
    files_.insert(file);
  }
  void Remove(const FileId& file) {
    const absl::MutexLock lock(&mutex_);
    files_.erase(files_.find(file));
  }
  bool Holds(const FileId& file) {
    const absl::MutexLock lock(&mutex_);
    return files_.contains(file);
  }
  bool empty() {
    const absl::MutexLock lock(&mutex_);
    return files_.empty();
  }

 private:
  absl::Mutex mutex_;
  std::multiset<FileId> files_ ABSL_GUARDED_BY(mutex_);
};

// SQLite's log and its index come and go beside the database.
bool IsOpen(const std::string& path) {
  if (Registry::Get().Holds(IdOf(path))) return true;
  for (const absl::string_view suffix : {"-wal", "-shm"}) {
    absl::string_view database = path;
    if (absl::ConsumeSuffix(&database, suffix) &&
        Registry::Get().Holds(IdOf(std::string(database)))) {
      return true;
    }
  }
  return false;
}

}  // namespace

OpenDatabase::OpenDatabase(const std::string& path) : file_(IdOf(path)) {
  if (file_ != kNoFile) Registry::Get().Add(file_);
}

OpenDatabase::~OpenDatabase() {
  if (file_ != kNoFile) Registry::Get().Remove(file_);
}

absl::Status CheckMayBeOpened(const std::string& path) {
  if (Registry::Get().empty() || !IsOpen(path)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path,
      " belongs to the metadata database, which is in use; name a folder "
      "without it, or keep the database elsewhere"));
}

}  // namespace rekindle
