#ifndef REKINDLE_OPERATOR_PODS_POD_VIEW_H_
#define REKINDLE_OPERATOR_PODS_POD_VIEW_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "operator/process/process_spec.h"

namespace rekindle::argo {

// The file system as one pod sees it: this machine's, with folders of its own
// in some places. What is the pod's own lies in a folder that we can read when
// it has ended. Nothing is mounted here: Build() makes folders to mount on and
// says what is to be mounted. Paths are absolute. Thread-compatible.
class PodView {
 public:
  // `folder` is where the pod's own files are kept; it is made. Pods that have
  // nothing of their own in "/" itself share `common_root` to mount on, which
  // spares them two dozen folders.
  PodView(std::string folder, std::string common_root);
  ~PodView();

  // An empty folder of its own at `path`.
  absl::Status MakePrivate(const std::string& path);
  // `source`, a file or folder of this machine, at `path`.
  absl::Status Mount(const std::string& source, const std::string& path,
                     bool read_only);
  // `path` of this machine stays visible, although a folder above it is the
  // pod's own.
  absl::Status Share(const std::string& path);
  // Lets the pod make a file or folder at `path` that no other pod sees;
  // returns where it will be for us. What this machine has at `path` is not
  // there, but for folders, which are as they are.
  absl::StatusOr<std::string> Place(const std::string& path);

  // Where what the pod calls `path` is for us.
  std::string Outside(const std::string& path) const;

  // Makes the folders to mount on.
  absl::StatusOr<View> Build() const;

 private:
  // A folder or mount that is not simply this machine's.
  struct Entry;

  // Whether the pod sees this machine's own at `path`.
  bool IsOurs(const std::string& path) const;
  // `path` without the links of this machine that the pod sees. What is below
  // a folder of its own, or a mount, is not this machine's.
  std::string Real(const std::string& path) const;

  // The entry at `path`, made if it has to be: below a mount, its folder.
  absl::StatusOr<Entry*> OwnFolder(const std::string& path);
  // Where `name` in a mount is for us.
  static absl::StatusOr<std::string> Inside(const Entry& mount,
                                            const std::string& name);
  absl::Status BuildEntry(const Entry& entry, View& view) const;
  bool NeedsOwnRoot() const;

  const std::string folder_;
  const std::string common_root_;
  std::unique_ptr<Entry> root_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_POD_VIEW_H_
