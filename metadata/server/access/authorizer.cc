#include "metadata/server/access/authorizer.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "metadata/server/access/access_list.h"
#include "metadata/server/access/access_table.h"
#include "metadata/server/access/role.h"
#include "metadata/server/peer.h"

namespace rekindle {
namespace {

constexpr absl::string_view kBearer = "bearer ";
constexpr char kAnyone[] = "anyone";

// Says the same whether a token is unknown or has run out.
absl::Status UnknownToken() {
  return absl::UnauthenticatedError(
      "the token is not one that this server knows");
}

absl::Status NothingShown() {
  return absl::UnauthenticatedError(
      "this server wants to know who calls: send a token, as 'Authorization: "
      "Bearer TOKEN' or by REKINDLE_METADATA_TOKEN, or show a certificate that "
      "it has a role for");
}

absl::Status NoCertificate() {
  return absl::UnauthenticatedError(
      "this server takes only clients that show a certificate");
}

absl::Status RoleTooLow(absl::string_view call, const Caller& caller,
                        Role needs) {
  return absl::PermissionDeniedError(
      absl::StrCat(call, " needs the role ", RoleName(needs), "; '",
                   caller.name, "' is a ", RoleName(*caller.role)));
}

// The token in a header `authorization`; empty if it is something else.
absl::string_view BearerToken(absl::string_view header) {
  if (!absl::StartsWithIgnoreCase(header, kBearer)) return "";
  return absl::StripAsciiWhitespace(header.substr(kBearer.size()));
}

// The names in the certificate that a peer has shown, the common one first.
std::vector<std::string> NamesOf(const Peer& peer) {
  std::vector<std::string> names = peer.alternative_names;
  if (!peer.common_name.empty()) names.insert(names.begin(), peer.common_name);
  return names;
}

Caller CallerFrom(Holder holder, const Credentials& shown) {
  return {std::move(holder.name), holder.role, shown.peer.address};
}

}  // namespace

Decision Authorizer::Decide(const Credentials& shown,
                            absl::string_view call) const {
  const CallRight* right = FindCallRight(call);
  if (right == nullptr) {
    return {
        {.address = shown.peer.address},
        absl::PermissionDeniedError(absl::StrCat("nobody may call ", call))};
  }
  absl::StatusOr<Caller> caller = Identify(shown);
  if (!right->needs.has_value()) {
    return {caller.ok() ? *std::move(caller)
                        : Caller{.address = shown.peer.address},
            absl::OkStatus()};
  }
  if (!caller.ok()) return {{.address = shown.peer.address}, caller.status()};
  absl::Status status = *caller->role >= *right->needs
                            ? absl::OkStatus()
                            : RoleTooLow(call, *caller, *right->needs);
  return {*std::move(caller), std::move(status)};
}

absl::Status Authorizer::token_file_state() const {
  return tokens_ == nullptr ? absl::OkStatus() : tokens_->state();
}

absl::StatusOr<Caller> Authorizer::Identify(const Credentials& shown) const {
  if (tokens_ != nullptr) return ByTokenFile(shown);
  if (!certificates_) return Caller{kAnyone, Role::kAdmin, shown.peer.address};
  const std::vector<std::string> names = NamesOf(shown.peer);
  if (names.empty()) return NoCertificate();
  return Caller{names.front(), Role::kAdmin, shown.peer.address};
}

absl::StatusOr<Caller> Authorizer::ByTokenFile(const Credentials& shown) const {
  const std::shared_ptr<const AccessList> list = tokens_->Current();
  // One who sends a token means it, whatever certificate comes with it.
  if (!shown.authorization.empty()) {
    if (shown.authorization.size() > 1) return UnknownToken();
    std::optional<Holder> holder =
        list->FindToken(BearerToken(shown.authorization[0]), clock_.Now());
    if (!holder.has_value()) return UnknownToken();
    return CallerFrom(*std::move(holder), shown);
  }
  std::optional<Holder> holder =
      list->FindCertificate(NamesOf(shown.peer), clock_.Now());
  if (!holder.has_value()) return NothingShown();
  return CallerFrom(*std::move(holder), shown);
}

}  // namespace rekindle
