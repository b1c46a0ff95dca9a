#include "operator/pods/pod_view.h"

#include <algorithm>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "operator/pods/beneath.h"

namespace rekindle::argo {

namespace fs = std::filesystem;

struct PodView::Entry {
  enum class Kind {
    kMirror,   // this machine's folder, with changes
    kPrivate,  // a folder of the pod's own
    kMount     // something of this machine, from elsewhere
  };

  Kind kind = Kind::kPrivate;
  std::string path;    // as the pod sees it
  std::string source;  // of a mount, as we see it
  bool read_only = false;
  std::map<std::string, std::unique_ptr<Entry>> children;
  std::map<std::string, bool> hidden;  // names that this machine's has not
};

namespace {

std::string Joined(const std::string& folder, const std::string& name) {
  return folder == "/" ? absl::StrCat("/", name) : JoinPath(folder, name);
}

std::vector<std::string> Components(const std::string& path) {
  return absl::StrSplit(path, '/', absl::SkipEmpty());
}

// As many as the kernel follows.
constexpr int kMostLinks = 40;

std::deque<std::string> ComponentsBefore(const std::string& path,
                                         std::deque<std::string> rest) {
  const std::vector<std::string> names = Components(path);
  rest.insert(rest.begin(), names.begin(), names.end());
  return rest;
}

// The path without links, as far as it exists.
std::string Resolved(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  return error ? path : resolved.string();
}

bool IsFolder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

absl::Status Touch(const std::string& path) {
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return ErrnoStatus(errno, "make", path);
  close(fd);
  return absl::OkStatus();
}

// Something of the same kind as `source`, to mount it on.
absl::Status MakeMountPoint(const std::string& source,
                            const std::string& target) {
  if (PathExists(target)) return absl::OkStatus();
  return IsFolder(source) ? MakeDirs(target) : Touch(target);
}

}  // namespace

PodView::PodView(std::string folder, std::string common_root)
    : folder_(std::move(folder)),
      common_root_(std::move(common_root)),
      root_(std::make_unique<Entry>()) {
  root_->kind = Entry::Kind::kMirror;
  root_->path = "/";
}

PodView::~PodView() = default;

bool PodView::IsOurs(const std::string& path) const {
  const Entry* at = root_.get();
  for (const std::string& name : Components(path)) {
    const auto found = at->children.find(name);
    if (found == at->children.end()) {
      return at->kind == Entry::Kind::kMirror && !at->hidden.contains(name);
    }
    at = found->second.get();
  }
  return at->kind == Entry::Kind::kMirror;
}

std::string PodView::Real(const std::string& path) const {
  std::string real = "/";
  std::deque<std::string> rest = ComponentsBefore(path, {});
  for (int links = 0; !rest.empty();) {
    const std::string name = std::move(rest.front());
    rest.pop_front();
    if (name == ".") continue;
    if (name == "..") {
      real = fs::path(real).parent_path();
      continue;
    }
    std::string next = Joined(real, name);
    std::error_code none;
    const fs::path target =
        IsOurs(next) ? fs::read_symlink(next, none) : fs::path();
    if (target.empty() || ++links > kMostLinks) {
      real = std::move(next);
      continue;
    }
    if (target.is_absolute()) real = "/";
    rest = ComponentsBefore(target, std::move(rest));
  }
  return real;
}

absl::StatusOr<PodView::Entry*> PodView::OwnFolder(const std::string& path) {
  Entry* at = root_.get();
  for (const std::string& name : Components(path)) {
    std::unique_ptr<Entry>& child = at->children[name];
    if (child == nullptr) {
      child = std::make_unique<Entry>();
      child->path = Joined(at->path, name);
      if (at->kind == Entry::Kind::kMount) {
        child->kind = Entry::Kind::kMount;
        RK_ASSIGN_OR_RETURN(child->source, Inside(*at, name));
        RK_RETURN_IF_ERROR(MakeDirs(child->source));
      } else if (at->kind == Entry::Kind::kMirror && IsFolder(child->path)) {
        child->kind = Entry::Kind::kMirror;
      }
    }
    at = child.get();
  }
  return at;
}

absl::StatusOr<std::string> PodView::Inside(const Entry& mount,
                                            const std::string& name) {
  // What is shared is at its own place: its links are this machine's.
  if (mount.source == mount.path) return JoinPath(mount.source, name);
  return ResolveBeneath(mount.source, name);
}

absl::Status PodView::MakePrivate(const std::string& path) {
  RK_ASSIGN_OR_RETURN(Entry * entry, OwnFolder(Real(path)));
  entry->kind = Entry::Kind::kPrivate;
  return MakeDirs(JoinPath(folder_, entry->path));
}

absl::Status PodView::Mount(const std::string& source, const std::string& path,
                            bool read_only) {
  const fs::path target = Real(path);
  RK_ASSIGN_OR_RETURN(Entry * folder, OwnFolder(target.parent_path()));
  auto entry = std::make_unique<Entry>();
  entry->kind = Entry::Kind::kMount;
  entry->path = target;
  entry->source = source;
  entry->read_only = read_only;
  if (folder->kind == Entry::Kind::kMount) {
    RK_RETURN_IF_ERROR(MakeMountPoint(
        source, JoinPath(folder->source, target.filename().string())));
  }
  folder->children[target.filename()] = std::move(entry);
  return absl::OkStatus();
}

absl::Status PodView::Share(const std::string& path) {
  const std::string shared = Resolved(path);
  if (!PathExists(shared) || shared == "/") return absl::OkStatus();
  // Only where something above it is the pod's own.
  const Entry* at = root_.get();
  bool hidden = false;
  for (const std::string& name : Components(shared)) {
    if (at->kind == Entry::Kind::kPrivate) hidden = true;
    const auto found = at->children.find(name);
    if (found == at->children.end()) {
      if (at->kind != Entry::Kind::kPrivate) return absl::OkStatus();
      break;
    }
    at = found->second.get();
  }
  if (!hidden && at->kind != Entry::Kind::kPrivate) return absl::OkStatus();
  return Mount(shared, shared, /*read_only=*/false);
}

absl::StatusOr<std::string> PodView::Place(const std::string& path) {
  const fs::path target = fs::path(path).lexically_normal();
  RK_ASSIGN_OR_RETURN(Entry * folder, OwnFolder(Real(target.parent_path())));
  const std::string name = target.filename();
  if (folder->kind == Entry::Kind::kMount) {
    return JoinPath(folder->source, name);
  }
  const auto child = folder->children.find(name);
  if (child != folder->children.end() &&
      child->second->kind == Entry::Kind::kMount) {
    return child->second->source;  // The whole of a volume.
  }
  const std::string own = JoinPath(folder_, folder->path);
  RK_RETURN_IF_ERROR(MakeDirs(own));
  std::string here = Joined(folder->path, name);
  if (folder->kind == Entry::Kind::kMirror) {
    if (IsFolder(here)) return here;
    folder->hidden[name] = true;
  }
  return JoinPath(own, name);
}

std::string PodView::Outside(const std::string& path) const {
  const fs::path normal = fs::path(path).lexically_normal();
  // A link of this machine may lead to something of the pod's own.
  const std::vector<std::string> names =
      Components(Joined(Real(normal.parent_path()), normal.filename()));
  const Entry* at = root_.get();
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = at->children.find(names[i]);
    if (found != at->children.end()) {
      at = found->second.get();
      continue;
    }
    const bool ours =
        at->kind == Entry::Kind::kMirror && !at->hidden.contains(names[i]);
    std::string outside = at->kind == Entry::Kind::kMount ? at->source
                          : ours                          ? at->path
                                 : JoinPath(folder_, at->path);
    for (; i < names.size(); ++i) outside = Joined(outside, names[i]);
    return outside;
  }
  return at->kind == Entry::Kind::kMount     ? at->source
         : at->kind == Entry::Kind::kPrivate ? JoinPath(folder_, at->path)
                                             : at->path;
}

bool PodView::NeedsOwnRoot() const {
  if (!root_->hidden.empty()) return true;
  return std::any_of(
      root_->children.begin(), root_->children.end(),
      [](const auto& child) { return !IsFolder(child.second->path); });
}

absl::Status PodView::BuildEntry(const Entry& entry, View& view) const {
  const bool is_root = entry.path == "/";
  // Where its folder is for us, and where the pod's root will have it.
  const std::string here = is_root ? view.root : JoinPath(folder_, entry.path);
  const std::string seen =
      is_root ? view.root : JoinPath(view.root, entry.path);
  if (entry.kind == Entry::Kind::kMount) {
    view.binds.push_back({entry.source, seen, entry.read_only});
  } else {
    RK_RETURN_IF_ERROR(MakeDirs(here));
    const bool top_level = entry.path.rfind('/') == 0 && !is_root;
    if (top_level && here != seen) {
      RK_RETURN_IF_ERROR(MakeDirs(seen));
      view.binds.push_back({here, seen, false});
    }
  }
  if (entry.kind == Entry::Kind::kMirror) {
    std::error_code error;
    for (const fs::directory_entry& item :
         fs::directory_iterator(entry.path, error)) {
      const std::string name = item.path().filename();
      if (entry.children.contains(name) || entry.hidden.contains(name)) {
        continue;
      }
      if (item.is_symlink(error)) {
        // It may be there from another pod.
        std::error_code exists;
        fs::copy_symlink(item.path(), JoinPath(here, name), exists);
        continue;
      }
      RK_RETURN_IF_ERROR(MakeMountPoint(item.path(), JoinPath(here, name)));
      view.binds.push_back({item.path(), JoinPath(seen, name), false});
    }
    if (error) return ErrnoStatus(error.value(), "list", entry.path);
  }
  for (const auto& [name, child] : entry.children) {
    // Below a mount the folders exist already.
    if (entry.kind != Entry::Kind::kMount &&
        child->kind == Entry::Kind::kMount) {
      RK_RETURN_IF_ERROR(MakeMountPoint(child->source, JoinPath(here, name)));
    }
    if (entry.kind == Entry::Kind::kMount &&
        child->source == JoinPath(entry.source, name)) {
      continue;  // A folder of the mount itself.
    }
    RK_RETURN_IF_ERROR(BuildEntry(*child, view));
  }
  return absl::OkStatus();
}

absl::StatusOr<View> PodView::Build() const {
  View view;
  view.root = NeedsOwnRoot() ? folder_ : common_root_;
  RK_RETURN_IF_ERROR(MakeDirs(view.root));
  RK_RETURN_IF_ERROR(BuildEntry(*root_, view));
  return view;
}

}  // namespace rekindle::argo
