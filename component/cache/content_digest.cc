#include "component/cache/content_digest.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "base/file_util.h"
#include "base/uuid.h"
#include "component/cache/cache_fields.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

constexpr char kPython[] = ".py";

std::string NeverSeenBefore(const absl::Status& why) {
  return absl::StrCat("unreadable (", RandomUuid(), "): ", why.message());
}

// The file itself first, then what it may import.
std::vector<std::string> WithSiblings(const std::string& path) {
  std::vector<std::string> siblings;
  std::error_code none;
  const fs::path folder = fs::path(path).parent_path();
  for (const auto& entry :
       fs::directory_iterator(folder.empty() ? "." : folder, none)) {
    if (entry.path().extension() == kPython &&
        !fs::equivalent(entry.path(), path, none)) {
      siblings.push_back(entry.path());
    }
  }
  std::sort(siblings.begin(), siblings.end());
  siblings.insert(siblings.begin(), path);
  return siblings;
}

// Names count: renaming what is imported breaks the import.
std::string DigestOfModule(const std::string& path, WatchedFiles& watched) {
  Sha256 hash;
  for (const std::string& file : WithSiblings(path)) {
    watched.Add(file);
    const absl::StatusOr<TreeDigest> digest = DigestTree(file);
    if (!digest.ok()) return NeverSeenBefore(digest.status());
    hash.UpdateField(fs::path(file).filename().string());
    hash.UpdateField(digest->digest);
  }
  return absl::StrCat("sha256:", hash.HexDigest());
}

// Where execvp() would find it; `name` itself if nowhere.
std::string FindProgram(const std::string& name) {
  if (absl::StrContains(name, '/')) return name;
  const char* path = std::getenv("PATH");
  for (const absl::string_view folder :
       absl::StrSplit(path == nullptr ? "/bin:/usr/bin" : path, ':')) {
    std::string file = JoinPath(folder.empty() ? "." : folder, name);
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return name;
}

bool IsFile(const std::string& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

// Empty for what cannot be looked at.
std::string FingerprintOf(const std::string& path) {
  return StatFingerprint(path).value_or("");
}

}  // namespace

void WatchedFiles::Add(const std::string& path) {
  fingerprints_.try_emplace(path, FingerprintOf(path));
}

std::string WatchedFiles::FindChanged() const {
  for (const auto& [path, noted] : fingerprints_) {
    if (FingerprintOf(path) != noted) return path;
  }
  return "";
}

std::string ContentDigest(const std::vector<std::string>& paths,
                          WatchedFiles& watched) {
  Sha256 hash;
  for (const std::string& path : paths) {
    watched.Add(path);
    const absl::StatusOr<TreeDigest> digest = DigestTree(path);
    if (!digest.ok()) return NeverSeenBefore(digest.status());
    hash.UpdateField(digest->digest);
  }
  return absl::StrCat("sha256:", hash.HexDigest());
}

std::string CodeDigest(const std::string& path, WatchedFiles& watched) {
  return absl::EndsWith(path, kPython) ? DigestOfModule(path, watched)
                                       : ContentDigest({path}, watched);
}

std::string ProgramDigest(const std::string& name, WatchedFiles& watched) {
  return CodeDigest(FindProgram(name), watched);
}

CacheFields CommandFields(const std::vector<std::string>& argv,
                          WatchedFiles& watched) {
  CacheFields fields;
  if (argv.empty()) return fields;
  fields["code.program"] = ProgramDigest(argv.front(), watched);
  for (size_t i = 1; i < argv.size(); ++i) {
    if (!IsFile(argv[i])) continue;
    fields[absl::StrCat("code.argument.", i)] = CodeDigest(argv[i], watched);
  }
  return fields;
}

}  // namespace rekindle
