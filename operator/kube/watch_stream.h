#ifndef REKINDLE_OPERATOR_KUBE_WATCH_STREAM_H_
#define REKINDLE_OPERATOR_KUBE_WATCH_STREAM_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "operator/kube/kube_client.h"

namespace rekindle::argo {

// Takes the bytes of a watch as they arrive, cut anywhere, and gives the events
// in them. Thread-compatible.
class WatchStream {
 public:
  // `sink` is not owned and must outlive this.
  explicit WatchStream(const EventSink& sink) : sink_(sink) {}

  // False when there is no point in reading on: the sink has enough, or the
  // stream told of an error; status() says which.
  bool Feed(absl::string_view bytes);

  //   OUT_OF_RANGE  the cluster no longer knows what happened since then
  //   INTERNAL      what came is not a watch
  //   and what the server said
  const absl::Status& status() const { return status_; }

 private:
  bool TakeLine(absl::string_view line);

  const EventSink& sink_;
  std::string unfinished_;
  absl::Status status_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_WATCH_STREAM_H_
