#include "operator/kube/resource.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace rekindle::argo {

std::string EscapeUrl(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
        absl::string_view("-._~").find(c) != absl::string_view::npos) {
      escaped.push_back(c);
    } else {
      absl::StrAppendFormat(&escaped, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

std::string Resource::ApiVersion() const {
  return *group == '\0' ? version : absl::StrCat(group, "/", version);
}

std::string Resource::Path(const std::string& in_namespace,
                           const std::string& name,
                           const std::string& subresource) const {
  std::string path =
      absl::StrCat(*group == '\0' ? "/api/" : "/apis/", ApiVersion());
  if (namespaced && !in_namespace.empty()) {
    absl::StrAppend(&path, "/namespaces/", EscapeUrl(in_namespace));
  }
  absl::StrAppend(&path, "/", plural);
  if (!name.empty()) absl::StrAppend(&path, "/", EscapeUrl(name));
  if (!subresource.empty()) absl::StrAppend(&path, "/", subresource);
  return path;
}

}  // namespace rekindle::argo
