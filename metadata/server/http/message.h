// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_MESSAGE_H_
#define REKINDLE_METADATA_SERVER_HTTP_MESSAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "metadata/server/peer.h"

namespace rekindle::http {

struct Header {
  std::string name;  // of a request: in lower case
  std::string value;
};

// What a request says before its body.
struct Head {
  std::string method;  // "POST"
  std::string path;    // "/api/v1/GetArtifacts", as it was sent
  std::string query;   // what follows the path's '?'
  std::vector<Header> headers;

  // What the headers mean for the connection.
  bool chunked = false;
  uint64_t content_length = 0;  // 0 when chunked
  bool keep_alive = true;
  bool expects_continue = false;

  bool has_body() const { return chunked || content_length > 0; }

  // The value of the first header of this name, which is in lower case; null
  // if there is none.
  const std::string* Find(absl::string_view name) const {
    for (const Header& header : headers) {
      if (header.name == name) return &header.value;
    }
    return nullptr;
  }
};

struct Request {
  Head head;
  std::string body;
  Peer peer;
};

struct Answer {
  int status = 200;
  std::string content_type = {};
  std::string body = {};
  // Besides those of every answer.
  std::vector<Header> headers = {};
};

// Why a request is not taken.
struct Refusal {
  int status;          // of HTTP
  absl::Status error;  // what the body of the answer says
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_MESSAGE_H_
