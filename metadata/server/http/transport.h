// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_TRANSPORT_H_
#define REKINDLE_METADATA_SERVER_HTTP_TRANSPORT_H_

#include <cstddef>
#include <memory>

#include "absl/strings/string_view.h"
#include "base/unique_fd.h"
#include "metadata/server/peer.h"

namespace rekindle::http {

// What became of reading or writing.
struct Transfer {
  enum class State {
    kDone,       // `bytes` were, at least one
    kWantRead,   // nothing, until the socket can be read from
    kWantWrite,  // nothing, until it can be written to
    kClosed,     // nothing, and never again
  };
  State state = State::kClosed;
  size_t bytes = 0;
};

// Bytes to and from one client, never waiting. Thread-compatible.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int fd() const = 0;
  virtual Transfer Read(char* buffer, size_t size) = 0;
  virtual Transfer Write(absl::string_view bytes) = 0;
  // The other end learns that no more will be written.
  virtual void EndWriting() = 0;
  // Adds what is known of the other end, once something was read from it.
  virtual void Describe(Peer* peer) const = 0;
};

// Bytes as they are. The socket does not block.
std::unique_ptr<Transport> MakePlainTransport(UniqueFd fd);

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_TRANSPORT_H_
