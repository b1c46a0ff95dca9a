// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_CONNECTION_H_
#define REKINDLE_METADATA_SERVER_HTTP_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "metadata/server/http/byte_budget.h"
#include "metadata/server/http/limits.h"
#include "metadata/server/http/message.h"
#include "metadata/server/http/request_reader.h"
#include "metadata/server/http/transport.h"

namespace rekindle::http {

// One client: its requests one after the other, each answered before the next
// is read. It never waits; whoever has it says when something can be done.
// Thread-compatible.
class Connection {
 public:
  // What must be done for it.
  enum class Event {
    kWait,     // nothing, until its socket is ready for interest()
    kMore,     // Advance() once more, after the others have had their turn
    kHead,     // Admit() or Refuse() the request with head()
    kNoRoom,   // make room for its body, or Refuse() it
    kRequest,  // TakeRequest() and Answer() it
    kClosed,   // it is over
  };

  // How well it would be missed, if one had to go.
  enum class Worth { kNothing, kHead, kBody, kAnswer, kWork };

  // `limits` and `budget` are not owned and must outlive the connection.
  Connection(uint64_t id, std::unique_ptr<Transport> transport,
             std::string address, const Limits& limits, ByteBudget& budget,
             absl::Time now);

  // Reads or writes what can be; `buffer` is only used meanwhile.
  Event Advance(absl::Time now, absl::Span<char> buffer);

  const Head& head() const { return reader_->head(); }
  // Who is at the other end.
  Peer peer() const;
  void Admit();
  // Takes room for so many bytes of an answer, or for the part of the body that
  // has come; false if there is none.
  bool TakeRoom(size_t bytes);
  bool TakeRoomForBody() { return TakeRoom(reader_->body_size()); }
  Request TakeRequest();
  void Answer(http::Answer answer, absl::Time now);
  // Answers and then closes.
  void Refuse(const Refusal& refusal, absl::Time now);

  // A time is over: what was begun is refused, and the rest closed.
  Event Expire(absl::Time now);
  // No request after this one, which must come before `deadline`.
  void Hurry(absl::Time deadline);

  uint64_t id() const { return id_; }
  int fd() const { return transport_->fd(); }
  const std::string& address() const { return address_; }
  // EPOLLIN, EPOLLOUT or 0.
  uint32_t interest() const { return interest_; }
  absl::Time deadline() const { return deadline_; }
  Worth worth() const;
  // Since when that has been so.
  absl::Time since() const { return since_; }
  // How much longer its body or its answer takes than it would at a modest
  // speed.
  absl::Duration Lag(absl::Time now) const;
  bool holds_shared_bytes() const { return share_.bytes() > 0; }

 private:
  enum class Phase { kReading, kWorking, kWriting, kLingering };

  // Each does a part; nothing if there is more that can be done.
  std::optional<Event> Step(absl::Time now, absl::Span<char> buffer);
  std::optional<Event> StepReading(absl::Time now, absl::Span<char> buffer);
  std::optional<Event> TakeBytes(absl::string_view bytes, absl::Time now);
  std::optional<Event> StepWriting(absl::Time now);
  std::optional<Event> StepLingering(absl::Span<char> buffer);
  Event Wait(Transfer::State state);

  void Enter(Phase phase, absl::Time now, absl::Duration time);
  void EndAnswer(absl::Time now);

  const uint64_t id_;
  const std::unique_ptr<Transport> transport_;
  const std::string address_;
  const Limits& limits_;

  Phase phase_ = Phase::kReading;
  absl::Time since_;
  absl::Time deadline_;
  uint32_t interest_;

  // The request that is being read, what came behind it, and the room that its
  // body, and later its answer, has beyond limits_.own_bytes.
  std::optional<RequestReader> reader_;
  std::string input_;
  ByteBudget::Share share_;
  bool broken_ = false;

  bool keep_alive_ = true;
  bool last_ = false;
  bool without_body_ = false;

  std::string output_;
  std::string output_body_;
  size_t written_ = 0;
  size_t discarded_ = 0;
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_CONNECTION_H_
