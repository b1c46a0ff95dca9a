// Any few calls with any requests: never a crash, never INTERNAL, and a call
// that fails has changed nothing.
#include <algorithm>
#include <string>
#include <vector>

#include "google/protobuf/message.h"
#include "metadata/api/rpc_list.h"
#include "tests/fuzz/fuzzed_store.h"
#include "tests/fuzz/message_mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace rekindle {
namespace {

using ::google::protobuf::Message;

struct Rpc {
  const Message& (*request)();
  absl::Status (*call)(MetadataStore&, const Message& request);
};

#define RK_ENTRY(Name)                                                     \
  Rpc{[]() -> const Message& {                                             \
        return ml_metadata::Name##Request::default_instance();             \
      },                                                                   \
      [](MetadataStore& store, const Message& request) {                   \
        return store                                                       \
            .Name(static_cast<const ml_metadata::Name##Request&>(request)) \
            .status();                                                     \
      }},
const Rpc kRpcs[] = {RK_FOR_EACH_WRITE_RPC(RK_ENTRY)
                         RK_FOR_EACH_READ_RPC(RK_ENTRY)};
#undef RK_ENTRY

constexpr size_t kMaxCalls = 4;

// A call as an input holds it: a byte for the method, two for the length of
// the request, the request.
struct Call {
  uint8_t method = 0;
  std::string request;

  const Rpc& rpc() const { return kRpcs[method % std::size(kRpcs)]; }
};

std::vector<Call> ReadCalls(const uint8_t* data, size_t size) {
  std::vector<Call> calls;
  size_t at = 0;
  while (at + 3 <= size && calls.size() < kMaxCalls) {
    const size_t length =
        std::min<size_t>(data[at + 1] + 256 * data[at + 2], size - at - 3);
    const char* const request = reinterpret_cast<const char*>(data) + at + 3;
    calls.push_back({data[at], std::string(request, length)});
    at += 3 + length;
  }
  return calls;
}

std::string WriteCalls(const std::vector<Call>& calls) {
  std::string bytes;
  for (const Call& call : calls) {
    const size_t length = std::min<size_t>(call.request.size(), 0xffff);
    bytes.push_back(static_cast<char>(call.method));
    bytes.push_back(static_cast<char>(length % 256));
    bytes.push_back(static_cast<char>(length / 256));
    bytes.append(call.request, 0, length);
  }
  return bytes;
}

void MakeCalls(FuzzedStore& store, const std::vector<Call>& calls) {
  for (const Call& call : calls) {
    const std::unique_ptr<Message> request(call.rpc().request().New());
    if (!request->ParseFromString(call.request)) continue;
    store.CheckCall(call.rpc().call(store.metadata(), *request));
  }
  store.Restore();
}

void MutateRequest(Call& call, MutationDice& dice) {
  const std::unique_ptr<Message> request(call.rpc().request().New());
  // What does not parse whole is kept as far as it does.
  request->ParsePartialFromString(call.request);
  const int rounds = dice.Below(4) + 1;
  for (int i = 0; i < rounds; ++i) MutateMessage(*request, dice);
  call.request = request->SerializePartialAsString();
}

void MutateBytes(Call& call) {
  constexpr size_t kRoom = 64;
  const size_t size = call.request.size();
  call.request.resize(size + kRoom);
  call.request.resize(
      LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(call.request.data()), size,
                       call.request.size()));
}

void MutateCalls(std::vector<Call>& calls, MutationDice& dice) {
  if (calls.empty() || (calls.size() < kMaxCalls && dice.Below(8) == 0)) {
    calls.push_back({static_cast<uint8_t>(dice.Below(std::size(kRpcs))), ""});
  }
  const size_t chosen = dice.Below(calls.size());
  if (calls.size() > 1 && dice.Below(16) == 0) {
    calls.erase(calls.begin() + static_cast<ptrdiff_t>(chosen));
  } else if (dice.Below(8) == 0) {
    MutateBytes(calls[chosen]);
  } else {
    MutateRequest(calls[chosen], dice);
  }
}

}  // namespace
}  // namespace rekindle

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* const store = new rekindle::FuzzedStore();
  rekindle::MakeCalls(*store, rekindle::ReadCalls(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  rekindle::MutationDice dice(seed);
  std::vector<rekindle::Call> calls = rekindle::ReadCalls(data, size);
  rekindle::MutateCalls(calls, dice);
  const std::string bytes = rekindle::WriteCalls(calls);
  if (bytes.size() > max_size) return size;
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
