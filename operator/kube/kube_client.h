#ifndef REKINDLE_OPERATOR_KUBE_KUBE_CLIENT_H_
#define REKINDLE_OPERATOR_KUBE_KUBE_CLIENT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/kube/resource.h"

namespace rekindle::argo {

// Which objects; all if empty.
struct ListOptions {
  std::string label_selector;
  std::string field_selector;
};

struct CreateOptions {
  bool dry_run = false;  // the server checks and answers, and keeps nothing
  // Under this name the server notes who made the object.
  std::string field_manager = "rekindle";
};

struct WatchOptions {
  ListOptions which;
  std::string resource_version;  // where to go on from
  // How long the server may keep the connection.
  absl::Duration timeout = absl::Minutes(5);
  // Once readable, this call ends with CANCELLED; -1: none. Not owned.
  int cancel_fd = -1;
};

struct LogOptions {
  std::string container = "main";
  bool follow = false;
  bool timestamps = false;
  std::optional<int64_t> tail_lines;
  std::optional<absl::Time> since;
  int cancel_fd = -1;  // as for a watch
};

// A change that a watch tells of. A bookmark's object holds only how far the
// watch has come.
struct WatchEvent {
  enum class Kind { kAdded, kModified, kDeleted, kBookmark };
  Kind kind = Kind::kAdded;
  nlohmann::json object;

  // Where a watch goes on behind this event.
  std::string ResourceVersion() const;
};

// False ends the stream.
using EventSink = std::function<bool(const WatchEvent& event)>;
using ByteSink = std::function<bool(absl::string_view bytes)>;

// The calls of a cluster's API, one request each. An error is one sentence for
// the person at the keyboard. Every call may answer:
//
//   UNAVAILABLE          the cluster is not reached or is overloaded
//   UNAUTHENTICATED      the credential is refused
//   PERMISSION_DENIED    the account may not do that; names verb and resource
//   FAILED_PRECONDITION  the cluster does not know the kind of object
//   CANCELLED            we were interrupted
//   RESOURCE_EXHAUSTED   this process has no descriptors left
//
// Thread-safe.
class KubeClient {
 public:
  virtual ~KubeClient() = default;

  //   NOT_FOUND  there is no such object, or no such namespace
  virtual absl::StatusOr<nlohmann::json> Get(const Resource& resource,
                                             const std::string& in_namespace,
                                             const std::string& name) = 0;

  // Returns the object as the cluster keeps it.
  //
  //   NOT_FOUND         there is no such namespace
  //   ALREADY_EXISTS    an object has that name
  //   INVALID_ARGUMENT  the cluster finds it wrong, and says where
  virtual absl::StatusOr<nlohmann::json> Create(
      const Resource& resource, const std::string& in_namespace,
      const nlohmann::json& object, const CreateOptions& options) = 0;

  // Merges `patch` into the object (RFC 7386); returns what it became.
  //
  //   NOT_FOUND         there is no such object
  //   ABORTED           it changed meanwhile, and the patch says that matters
  //   INVALID_ARGUMENT  as for Create
  virtual absl::StatusOr<nlohmann::json> Patch(const Resource& resource,
                                               const std::string& in_namespace,
                                               const std::string& name,
                                               const nlohmann::json& patch) = 0;

  // All of them, as one list object with `items`, objects all of them, and the
  // resourceVersion to watch from. A namespace that does not exist is empty.
  virtual absl::StatusOr<nlohmann::json> List(const Resource& resource,
                                              const std::string& in_namespace,
                                              const ListOptions& options) = 0;

  // Tells `sink` of each change behind options.resource_version until the
  // server ends the connection, which is OK, or `sink` does.
  //
  //   OUT_OF_RANGE  the cluster no longer knows what happened since then: list
  //                 again
  virtual absl::Status Watch(const Resource& resource,
                             const std::string& in_namespace,
                             const WatchOptions& options,
                             const EventSink& sink) = 0;

  // The log of a pod's container, as it comes.
  //
  //   NOT_FOUND         there is no such pod
  //   INVALID_ARGUMENT  the container is not there, or has not started
  //   DATA_LOSS         it began, and the connection broke before its end
  virtual absl::Status ReadLog(const std::string& in_namespace,
                               const std::string& pod,
                               const LogOptions& options,
                               const ByteSink& sink) = 0;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_KUBE_CLIENT_H_
