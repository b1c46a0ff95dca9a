#include "component/resolve/artifact_ref.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace rekindle {
namespace {

absl::Status Malformed(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text,
                   "' does not name an artifact; use none, latest, id:NUMBER, "
                   "uri:PATH or run:NODE.KEY"));
}

}  // namespace

std::string ArtifactRef::ToString() const {
  switch (kind) {
    case Kind::kNone:
      return "none";
    case Kind::kLatest:
      return "latest";
    case Kind::kId:
      return absl::StrCat("id:", id);
    case Kind::kUri:
      return absl::StrCat("uri:", uri);
    case Kind::kRun:
      return absl::StrCat("run:", node_id, ".", output_key);
  }
  return "";
}

absl::StatusOr<ArtifactRef> ParseArtifactRef(absl::string_view text) {
  ArtifactRef ref;
  absl::string_view rest = text;
  if (text == "none") return ref;
  if (text == "latest") {
    ref.kind = ArtifactRef::Kind::kLatest;
    return ref;
  }
  if (absl::ConsumePrefix(&rest, "id:")) {
    ref.kind = ArtifactRef::Kind::kId;
    if (!absl::SimpleAtoi(rest, &ref.id) || ref.id <= 0) return Malformed(text);
    return ref;
  }
  if (absl::ConsumePrefix(&rest, "uri:") && !rest.empty()) {
    ref.kind = ArtifactRef::Kind::kUri;
    ref.uri = std::string(rest);
    return ref;
  }
  if (absl::ConsumePrefix(&rest, "run:")) {
    // Node ids may hold dots, keys may not.
    const size_t dot = rest.rfind('.');
    if (dot == absl::string_view::npos || dot == 0 || dot + 1 == rest.size()) {
      return Malformed(text);
    }
    ref.kind = ArtifactRef::Kind::kRun;
    ref.node_id = std::string(rest.substr(0, dot));
    ref.output_key = std::string(rest.substr(dot + 1));
    return ref;
  }
  return Malformed(text);
}

}  // namespace rekindle
