#include "operator/kube/watch_stream.h"

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/kube_error.h"

namespace rekindle::argo {

using nlohmann::json;

std::string WatchEvent::ResourceVersion() const {
  return TextAt(object, "/metadata/resourceVersion");
}

bool WatchStream::Feed(absl::string_view bytes) {
  for (;;) {
    const size_t end = bytes.find('\n');
    if (end == absl::string_view::npos) {
      unfinished_.append(bytes.data(), bytes.size());
      return true;
    }
    unfinished_.append(bytes.data(), end);
    bytes.remove_prefix(end + 1);
    std::string line;
    line.swap(unfinished_);
    if (!absl::StripAsciiWhitespace(line).empty() && !TakeLine(line)) {
      return false;
    }
  }
}

bool WatchStream::TakeLine(absl::string_view line) {
  static const auto& kinds = *new std::map<std::string, WatchEvent::Kind>{
      {"ADDED", WatchEvent::Kind::kAdded},
      {"MODIFIED", WatchEvent::Kind::kModified},
      {"DELETED", WatchEvent::Kind::kDeleted},
      {"BOOKMARK", WatchEvent::Kind::kBookmark}};
  json event = json::parse(line.begin(), line.end(), nullptr,
                           /*allow_exceptions=*/false);
  if (TextAt(event, "/type").empty() || !event.contains("object") ||
      !event["object"].is_object()) {
    status_ = absl::InternalError(
        absl::StrCat("the cluster's watch holds a line that is no event: '",
                     line.substr(0, 80), "'"));
    return false;
  }
  const std::string type = TextAt(event, "/type");
  if (type == "ERROR") {
    status_ = StatusOfObject(event["object"], {});
    return false;
  }
  const auto kind = kinds.find(type);
  if (kind == kinds.end()) return true;  // of a later API: none of ours
  return sink_({kind->second, std::move(event["object"])});
}

}  // namespace rekindle::argo
