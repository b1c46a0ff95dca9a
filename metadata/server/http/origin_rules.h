// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_ORIGIN_RULES_H_
#define REKINDLE_METADATA_SERVER_HTTP_ORIGIN_RULES_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "metadata/server/http/message.h"

namespace rekindle::http {

// By which names the server may be called. A page whose name its owner points
// at this machine (DNS rebinding) sends that name.
struct HostRules {
  // Besides localhost and addresses.
  std::vector<std::string> names = {};
  // Whether a certificate of the server is for this name; null is never.
  std::function<bool(const std::string& name)> certified = nullptr;
};

// Whether a request is for this server and, if a page in a browser sent it, of
// this server's own.
//
//   421  Host is a name that the server does not have
//   403  Origin is another one than Host
std::optional<Refusal> CheckOrigin(const Head& head, const HostRules& rules);

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_ORIGIN_RULES_H_
