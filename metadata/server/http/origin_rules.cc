#include "metadata/server/http/origin_rules.h"

#include <algorithm>
#include <optional>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "metadata/server/http/message.h"

namespace rekindle::http {
namespace {

// Of a name in an error's message.
constexpr size_t kEnoughOfAName = 100;

bool IsAddress(int family, const std::string& text) {
  in6_addr address;
  return inet_pton(family, text.c_str(), &address) == 1;
}

// "[::1]" of "[::1]:8081", "name" of "name:8081".
absl::string_view WithoutPort(absl::string_view host) {
  const size_t colon = host.rfind(':');
  const size_t bracket = host.rfind(']');
  const bool has_port = colon != absl::string_view::npos &&
                        (bracket == absl::string_view::npos || bracket < colon);
  return has_port ? host.substr(0, colon) : host;
}

bool IsAnyAddress(absl::string_view name) {
  if (absl::ConsumePrefix(&name, "[") && absl::ConsumeSuffix(&name, "]")) {
    return IsAddress(AF_INET6, std::string(name));
  }
  return IsAddress(AF_INET, std::string(name));
}

bool IsOurs(const std::string& host, const HostRules& rules) {
  const std::string name = absl::AsciiStrToLower(WithoutPort(host));
  if (name == "localhost" || IsAnyAddress(name)) return true;
  const bool listed = std::any_of(rules.names.begin(), rules.names.end(),
                                  [&name](const std::string& ours) {
                                    return absl::EqualsIgnoreCase(ours, name);
                                  });
  return listed || (rules.certified != nullptr && rules.certified(name));
}

bool IsSameOrigin(absl::string_view origin, const std::string& host) {
  // Behind a proxy that has the certificate, the scheme is another.
  return (absl::ConsumePrefix(&origin, "https://") ||
          absl::ConsumePrefix(&origin, "http://")) &&
         absl::EqualsIgnoreCase(origin, host);
}

}  // namespace

std::optional<Refusal> CheckOrigin(const Head& head, const HostRules& rules) {
  const std::string* host = head.Find("host");
  if (host != nullptr && !IsOurs(*host, rules)) {
    return Refusal{
        421, absl::PermissionDeniedError(absl::StrCat(
                 "the server is not called '", host->substr(0, kEnoughOfAName),
                 "'; --http-allowed-host gives it a name"))};
  }
  const std::string* origin = head.Find("origin");
  if (origin == nullptr) return std::nullopt;
  if (host != nullptr && IsSameOrigin(*origin, *host)) return std::nullopt;
  return Refusal{403, absl::PermissionDeniedError(absl::StrCat(
                          "pages of '", origin->substr(0, kEnoughOfAName),
                          "' may not call this server"))};
}

}  // namespace rekindle::http
