// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_LIMITS_H_
#define REKINDLE_METADATA_SERVER_HTTP_LIMITS_H_

#include <cstddef>

#include "absl/time/time.h"
#include "metadata/server/http/worker_pool.h"

namespace rekindle::http {

// What clients may take of the server (docs/server.md has them as a table).
struct Limits {
  // Of one request.
  size_t request_line_bytes = 8 << 10;
  size_t head_bytes = 16 << 10;  // the request line among them
  size_t headers = 64;
  size_t body_bytes = 64 << 20;

  // Of all connections together: bytes of bodies and answers, beyond those
  // that every connection has for itself. One that is alone may have more.
  size_t shared_bytes = 64 << 20;
  size_t own_bytes = 64 << 10;

  // A connection more makes room by closing one that is waited for.
  size_t connections = 512;
  size_t connections_per_client = 256;

  // Requests of each lane (front.h) that run and that wait to run, and one
  // client's part of them; one more is refused.
  WorkerPool::Limits status = {4, 4, 64};
  WorkerPool::Limits reads = {8, 3, 256};
  WorkerPool::Limits calls = {32, 16, 256};

  // From the first byte of a request (or from connecting) to its headers' end,
  // and to its body's.
  absl::Duration head_time = absl::Seconds(10);
  absl::Duration request_time = absl::Seconds(60);
  // To the last byte of the answer.
  absl::Duration answer_time = absl::Seconds(60);
  // Between two requests.
  absl::Duration idle_time = absl::Seconds(30);
  // How long, and how much, is read from a client that is refused, so that it
  // can read why.
  absl::Duration linger_time = absl::Seconds(3);
  size_t linger_bytes = 128 << 20;
  // At the end, for a request whose last bytes are on their way.
  absl::Duration last_bytes_time = absl::Seconds(2);
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_LIMITS_H_
