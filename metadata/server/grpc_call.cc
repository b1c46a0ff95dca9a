#include "metadata/server/grpc_call.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <grpc/grpc_security_constants.h>
#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/peer.h"

namespace rekindle {
namespace {

// "::1" of "ipv6:%5B::1%5D:8080", as gRPC writes the other end.
std::string AddressOf(absl::string_view peer) {
  if (!absl::ConsumePrefix(&peer, "ipv4:") &&
      !absl::ConsumePrefix(&peer, "ipv6:")) {
    return std::string(peer);
  }
  const absl::string_view host = peer.substr(0, peer.rfind(':'));
  return absl::StrReplaceAll(
      host, {{"%5B", ""}, {"%5D", ""}, {"[", ""}, {"]", ""}, {"%25", "%"}});
}

std::vector<std::string> PropertyOf(const grpc::AuthContext& context,
                                    const char* name) {
  std::vector<std::string> values;
  for (const grpc::string_ref& value : context.FindPropertyValues(name)) {
    values.emplace_back(value.data(), value.size());
  }
  return values;
}

}  // namespace

Peer PeerOf(const grpc::ServerContext& context) {
  Peer peer;
  peer.address = AddressOf(context.peer());
  const std::shared_ptr<const grpc::AuthContext> shown = context.auth_context();
  if (shown == nullptr || !shown->IsPeerAuthenticated()) return peer;
  const std::vector<std::string> names =
      PropertyOf(*shown, GRPC_X509_CN_PROPERTY_NAME);
  if (!names.empty()) peer.common_name = names.front();
  peer.alternative_names = PropertyOf(*shown, GRPC_X509_SAN_PROPERTY_NAME);
  return peer;
}

std::pair<std::string, int> AddressAndPortOf(absl::string_view peer) {
  int port = 0;
  if (!absl::SimpleAtoi(peer.substr(peer.rfind(':') + 1), &port)) port = 0;
  return {AddressOf(peer), port};
}

Credentials CredentialsOf(const grpc::ServerContext& context) {
  Credentials credentials;
  credentials.peer = PeerOf(context);
  const auto [begin, end] =
      context.client_metadata().equal_range("authorization");
  for (auto header = begin; header != end; ++header) {
    credentials.authorization.emplace_back(header->second.data(),
                                           header->second.size());
  }
  return credentials;
}

grpc::Status ToGrpc(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()),
          std::string(status.message())};
}

}  // namespace rekindle
