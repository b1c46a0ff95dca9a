// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_PEER_H_
#define REKINDLE_METADATA_SERVER_PEER_H_

#include <string>
#include <vector>

namespace rekindle {

// The other end of a connection, as far as this end can know it. Whoever is
// behind it may still show more, such as a token.
struct Peer {
  // An IP address without a port: "127.0.0.1" or "::1".
  std::string address;

  // From a certificate that an authority of ours (--tls-client-ca) has signed;
  // without one both are empty.
  std::string common_name;
  // Its subject alternative names: DNS names, URIs, mail addresses and IP
  // addresses, as they are written.
  std::vector<std::string> alternative_names;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_PEER_H_
