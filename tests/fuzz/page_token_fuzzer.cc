// Any bytes as a page token: refused with INVALID_ARGUMENT, or the pages that
// follow end, and no node comes twice.
#include <set>
#include <string>

#include <fuzzer/FuzzedDataProvider.h>

#include "absl/strings/escaping.h"
#include "tests/fuzz/fuzzed_store.h"

namespace rekindle {
namespace {

using ::ml_metadata::GetArtifactsRequest;
using ::ml_metadata::ListOperationNextPageToken;
using ::ml_metadata::ListOperationOptions;

// More pages of one node than the store has nodes.
constexpr int kManyPages = 5;

enum class Disguise {
  kNone,     // the bytes are the token
  kEncoded,  // they are encoded as tokens are
  kFitting,  // and claim to be of this listing
};

ListOperationOptions ReadOptions(FuzzedDataProvider& input) {
  ListOperationOptions options;
  options.set_max_result_size(1);
  auto& order = *options.mutable_order_by_field();
  order.set_field(input.PickValueInArray(
      {ListOperationOptions::OrderByField::ID,
       ListOperationOptions::OrderByField::CREATE_TIME,
       ListOperationOptions::OrderByField::LAST_UPDATE_TIME}));
  order.set_is_asc(input.ConsumeBool());
  if (input.ConsumeBool()) options.set_filter_query("id > 0");
  return options;
}

std::string ReadToken(FuzzedDataProvider& input,
                      const ListOperationOptions& options) {
  const auto disguise = input.PickValueInArray(
      {Disguise::kNone, Disguise::kEncoded, Disguise::kFitting});
  std::string bytes = input.ConsumeRemainingBytesAsString();
  if (disguise == Disguise::kNone) return bytes;
  ListOperationNextPageToken token;
  if (disguise == Disguise::kFitting && token.ParseFromString(bytes)) {
    *token.mutable_set_options() = options;
    bytes = token.SerializeAsString();
  }
  return absl::WebSafeBase64Escape(bytes);
}

void TurnPages(FuzzedStore& store, GetArtifactsRequest request) {
  std::set<int64_t> seen;
  for (int page = 0; page < kManyPages; ++page) {
    const auto answer = store.metadata().GetArtifacts(request);
    store.CheckCall(answer.status());
    if (!answer.ok()) {
      Require(page == 0 && absl::IsInvalidArgument(answer.status()),
              answer.status().ToString());
      return;
    }
    for (const auto& artifact : answer->artifacts()) {
      Require(seen.insert(artifact.id()).second, "an artifact came twice");
    }
    if (answer->next_page_token().empty()) return;
    request.mutable_options()->set_next_page_token(answer->next_page_token());
  }
  Require(false, "the pages do not end");
}

}  // namespace
}  // namespace rekindle

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* const store = new rekindle::FuzzedStore();
  FuzzedDataProvider input(data, size);
  ml_metadata::GetArtifactsRequest request;
  *request.mutable_options() = rekindle::ReadOptions(input);
  request.mutable_options()->set_next_page_token(
      rekindle::ReadToken(input, request.options()));
  rekindle::TurnPages(*store, request);
  return 0;
}
