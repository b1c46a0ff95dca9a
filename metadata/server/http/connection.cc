#include "metadata/server/http/connection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <sys/epoll.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "metadata/server/http/answer_text.h"
#include "metadata/server/http/byte_budget.h"
#include "metadata/server/http/message.h"
#include "metadata/server/http/transport.h"
#include "metadata/server/peer.h"

namespace rekindle::http {
namespace {

// How often one connection reads or writes before the others have their turn.
constexpr int kStepsPerTurn = 4;

// Answers up to this size are sent in one piece with their headers.
constexpr size_t kSmallBody = 32 << 10;

// A client that is slower may have to make room for others.
constexpr double kBytesPerSecond = 1 << 20;

constexpr absl::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

Connection::Connection(uint64_t id, std::unique_ptr<Transport> transport,
                       std::string address, const Limits& limits,
                       ByteBudget& budget, absl::Time now)
    : id_(id),
      transport_(std::move(transport)),
      address_(std::move(address)),
      limits_(limits),
      since_(now),
      deadline_(now + limits.head_time),
      interest_(EPOLLIN),
      share_(budget) {
  reader_.emplace(limits_);
}

Connection::Event Connection::Advance(absl::Time now, absl::Span<char> buffer) {
  for (int i = 0; i < kStepsPerTurn; ++i) {
    const std::optional<Event> event = Step(now, buffer);
    if (event.has_value()) return *event;
  }
  return Event::kMore;
}

std::optional<Connection::Event> Connection::Step(absl::Time now,
                                                  absl::Span<char> buffer) {
  switch (phase_) {
    case Phase::kReading:
      return StepReading(now, buffer);
    case Phase::kWorking:
      // The next request is not read before this one is answered.
      interest_ = 0;
      return Event::kWait;
    case Phase::kWriting:
      return StepWriting(now);
    case Phase::kLingering:
      return StepLingering(buffer);
  }
  return Event::kClosed;
}

std::optional<Connection::Event> Connection::StepReading(
    absl::Time now, absl::Span<char> buffer) {
  if (broken_) return Event::kClosed;
  if (reader_->state() == RequestReader::State::kComplete) {
    return Event::kRequest;
  }
  if (!input_.empty()) return TakeBytes(std::exchange(input_, {}), now);
  const Transfer read = transport_->Read(buffer.data(), buffer.size());
  if (read.state != Transfer::State::kDone) return Wait(read.state);
  return TakeBytes({buffer.data(), read.bytes}, now);
}

std::optional<Connection::Event> Connection::TakeBytes(absl::string_view bytes,
                                                       absl::Time now) {
  const bool is_new = !reader_->has_begun();
  const bool in_head = reader_->state() == RequestReader::State::kHead;
  input_ = std::string(bytes.substr(reader_->Take(bytes)));
  if (is_new && reader_->has_begun()) {
    Enter(Phase::kReading, now, limits_.head_time);
  }
  if (reader_->state() == RequestReader::State::kRefused) {
    Refuse(reader_->refusal(), now);
    return std::nullopt;
  }
  if (in_head && reader_->state() != RequestReader::State::kHead) {
    deadline_ = std::min(since_ + limits_.request_time,
                         last_ ? deadline_ : absl::InfiniteFuture());
    return Event::kHead;
  }
  if (!TakeRoomForBody()) return Event::kNoRoom;
  return std::nullopt;
}

Connection::Event Connection::Wait(Transfer::State state) {
  if (state == Transfer::State::kClosed) return Event::kClosed;
  interest_ = state == Transfer::State::kWantWrite ? EPOLLOUT : EPOLLIN;
  return Event::kWait;
}

Peer Connection::peer() const {
  Peer peer;
  peer.address = address_;
  transport_->Describe(&peer);
  return peer;
}

void Connection::Admit() {
  if (!head().expects_continue || !input_.empty()) return;
  // So few bytes fit, unless the client does not want them.
  const Transfer written = transport_->Write(kContinue);
  broken_ = written.state != Transfer::State::kDone ||
            written.bytes != kContinue.size();
}

bool Connection::TakeRoom(size_t bytes) {
  return share_.Resize(bytes - std::min(bytes, limits_.own_bytes));
}

absl::Duration Connection::Lag(absl::Time now) const {
  const size_t moved =
      phase_ == Phase::kReading ? reader_->body_size() : written_;
  return now - since_ -
         absl::Seconds(static_cast<double>(moved) / kBytesPerSecond);
}

Request Connection::TakeRequest() {
  keep_alive_ = head().keep_alive;
  without_body_ = head().method == "HEAD";
  Request request = reader_->TakeRequest();
  request.peer = peer();
  phase_ = Phase::kWorking;
  deadline_ = absl::InfiniteFuture();
  return request;
}

void Connection::Answer(http::Answer answer, absl::Time now) {
  if (!TakeRoom(answer.body.size())) {
    share_.Resize(0);
    answer = AnswerOf(Busy("other answers take up its memory"));
  }
  output_ = HeadText(answer, keep_alive_ && !last_);
  if (without_body_) answer.body.clear();
  if (answer.body.size() <= kSmallBody) {
    output_ += answer.body;
  } else {
    output_body_ = std::move(answer.body);
  }
  written_ = 0;
  Enter(Phase::kWriting, now, limits_.answer_time);
}

void Connection::Refuse(const Refusal& refusal, absl::Time now) {
  // The reader may own the refusal.
  http::Answer answer = AnswerOf(refusal);
  keep_alive_ = false;
  input_ = {};
  reader_.emplace(limits_);
  Answer(std::move(answer), now);
  deadline_ = now + limits_.linger_time;
}

std::optional<Connection::Event> Connection::StepWriting(absl::Time now) {
  const bool in_body = written_ >= output_.size();
  const absl::string_view left =
      in_body
          ? absl::string_view(output_body_).substr(written_ - output_.size())
          : absl::string_view(output_).substr(written_);
  const Transfer written = transport_->Write(left);
  if (written.state != Transfer::State::kDone) return Wait(written.state);
  written_ += written.bytes;
  if (written_ == output_.size() + output_body_.size()) EndAnswer(now);
  return std::nullopt;
}

void Connection::EndAnswer(absl::Time now) {
  output_ = {};
  output_body_ = {};
  share_.Resize(0);
  without_body_ = false;
  if (keep_alive_ && !last_) {
    reader_.emplace(limits_);
    interest_ = EPOLLIN;
    return Enter(Phase::kReading, now, limits_.idle_time);
  }
  transport_->EndWriting();
  interest_ = EPOLLIN;
  Enter(Phase::kLingering, now, limits_.linger_time);
}

std::optional<Connection::Event> Connection::StepLingering(
    absl::Span<char> buffer) {
  const Transfer read = transport_->Read(buffer.data(), buffer.size());
  if (read.state != Transfer::State::kDone) return Wait(read.state);
  discarded_ += read.bytes;
  if (discarded_ > limits_.linger_bytes) return Event::kClosed;
  return std::nullopt;
}

Connection::Event Connection::Expire(absl::Time now) {
  if (phase_ != Phase::kReading || !reader_->has_begun()) {
    return Event::kClosed;
  }
  Refuse({408, absl::DeadlineExceededError(
                   "the request did not come in time; send it faster")},
         now);
  return Event::kMore;
}

void Connection::Hurry(absl::Time deadline) {
  last_ = true;
  deadline_ = std::min(deadline_, deadline);
}

Connection::Worth Connection::worth() const {
  switch (phase_) {
    case Phase::kReading:
      if (!reader_->has_begun()) return Worth::kNothing;
      return reader_->state() == RequestReader::State::kHead ? Worth::kHead
                                                             : Worth::kBody;
    case Phase::kWorking:
      return Worth::kWork;
    case Phase::kWriting:
      return Worth::kAnswer;
    case Phase::kLingering:
      return Worth::kNothing;
  }
  return Worth::kNothing;
}

void Connection::Enter(Phase phase, absl::Time now, absl::Duration time) {
  phase_ = phase;
  since_ = now;
  deadline_ = last_ ? std::min(deadline_, now + time) : now + time;
}

}  // namespace rekindle::http
