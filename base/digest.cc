#include "base/digest.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <openssl/evp.h>
#include <sys/stat.h>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/open_database.h"
#include "base/path_fence.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

// A regular file below the root of a tree, by its path relative to that root.
struct TreeFile {
  std::string relative;
  std::string path;
  int64_t size = 0;
  int64_t mtime_nanos = 0;
  int64_t ctime_nanos = 0;
};

int64_t Nanos(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// To read a pipe or a device would not end.
absl::StatusOr<TreeFile> StatFile(std::string relative, std::string path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, "read", path);
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is neither a file nor a folder"));
  }
  return TreeFile{std::move(relative), std::move(path), info.st_size,
                  Nanos(info.st_mtim), Nanos(info.st_ctim)};
}

// `fence` may be null: every link is followed.
absl::Status CheckLink(const fs::directory_entry& entry,
                       const PathFence* fence) {
  std::error_code error;
  if (fence == nullptr || !entry.is_symlink(error) ||
      fence->Holds(entry.path())) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(entry.path().string(), " is a link to ",
                   fs::read_symlink(entry.path(), error).string(),
                   ", out of the folders that artifacts are taken from"));
}

absl::StatusOr<std::vector<TreeFile>> ListFolder(const std::string& root,
                                                 const PathFence* fence) {
  std::vector<TreeFile> files;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(
           root, fs::directory_options::follow_directory_symlink, error);
       !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    RK_RETURN_IF_ERROR(CheckLink(*it, fence));
    if (it->is_directory(error)) continue;
    RK_ASSIGN_OR_RETURN(
        TreeFile file,
        StatFile(it->path().lexically_relative(root), it->path()));
    files.push_back(std::move(file));
  }
  if (error) return ErrnoStatus(error.value(), "list", root);
  return files;
}

absl::StatusOr<std::vector<TreeFile>> ListTree(const std::string& root,
                                               const PathFence* fence) {
  struct stat info;
  if (stat(root.c_str(), &info) != 0) return ErrnoStatus(errno, "read", root);
  std::vector<TreeFile> files;
  if (!S_ISDIR(info.st_mode)) {
    RK_ASSIGN_OR_RETURN(TreeFile file, StatFile("", root));
    files.push_back(std::move(file));
    return files;
  }
  RK_ASSIGN_OR_RETURN(files, ListFolder(root, fence));
  std::sort(files.begin(), files.end(),
            [](const TreeFile& a, const TreeFile& b) {
              return a.relative < b.relative;
            });
  return files;
}

std::string FingerprintOf(const std::vector<TreeFile>& files) {
  Sha256 hash;
  for (const TreeFile& file : files) {
    hash.UpdateField(file.relative);
    hash.UpdateField(
        absl::StrCat(file.size, "@", file.mtime_nanos, "/", file.ctime_nanos));
  }
  return absl::StrCat("sha256:", hash.HexDigest());
}

absl::StatusOr<std::string> HexDigestOfFile(const std::string& path) {
  // Not to wait for the other end, should it have become a pipe since.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return ErrnoStatus(errno, "read", path);
  const absl::Cleanup close_fd = [fd] { close(fd); };

  Sha256 hash;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "read", path);
    if (n == 0) return hash.HexDigest();
    hash.Update({buffer.data(), static_cast<size_t>(n)});
  }
}

absl::StatusOr<TreeDigest> DigestFiles(
    const absl::StatusOr<std::vector<TreeFile>>& files) {
  RK_RETURN_IF_ERROR(files.status());
  for (const TreeFile& file : *files) {
    RK_RETURN_IF_ERROR(CheckMayBeOpened(file.path));
  }
  TreeDigest result;
  Sha256 hash;
  for (const TreeFile& file : *files) {
    RK_ASSIGN_OR_RETURN(const std::string content, HexDigestOfFile(file.path));
    hash.UpdateField(file.relative);
    hash.UpdateField(content);
    result.bytes += file.size;
    ++result.files;
  }
  result.digest = absl::StrCat("sha256:", hash.HexDigest());
  result.stat_fingerprint = FingerprintOf(*files);
  return result;
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  EVP_DigestInit_ex(context_->evp, EVP_sha256(), nullptr);
}

Sha256::~Sha256() { EVP_MD_CTX_free(context_->evp); }

void Sha256::Update(absl::string_view bytes) {
  EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size());
}

void Sha256::UpdateField(absl::string_view bytes) {
  Update(absl::StrCat(bytes.size(), ":"));
  Update(bytes);
}

std::string Sha256::HexDigest() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_->evp, bytes.data(), &size);
  return absl::BytesToHexString(
      {reinterpret_cast<const char*>(bytes.data()), size});
}

std::array<uint8_t, 32> Sha256::TakeDigest() {
  std::array<uint8_t, 32> bytes;
  EVP_DigestFinal_ex(context_->evp, bytes.data(), nullptr);
  // The same algorithm again: to look it up costs more than a short text.
  EVP_DigestInit_ex(context_->evp, nullptr, nullptr);
  return bytes;
}

absl::StatusOr<TreeDigest> DigestTree(const std::string& path) {
  return DigestFiles(ListTree(path, nullptr));
}

absl::StatusOr<TreeDigest> DigestTree(const std::string& path,
                                      const PathFence& fence) {
  return DigestFiles(ListTree(path, &fence));
}

absl::StatusOr<std::string> StatFingerprint(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const auto files, ListTree(path, nullptr));
  return FingerprintOf(files);
}

absl::StatusOr<std::string> StatFingerprint(const std::string& path,
                                            const PathFence& fence) {
  RK_ASSIGN_OR_RETURN(const auto files, ListTree(path, &fence));
  return FingerprintOf(files);
}

}  // namespace rekindle
