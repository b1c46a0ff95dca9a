// Any text as a filter: it is refused with INVALID_ARGUMENT, or SQLite runs
// what it was translated to. A filter in parentheses finds the same.
#include <string>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tests/fuzz/fuzzed_store.h"

namespace rekindle {
namespace {

using Ids = std::vector<int64_t>;

template <typename Request, typename Response>
using Listing =
    absl::StatusOr<Response> (MetadataStore::*)(const Request&) const;

// The ids of the nodes that pass.
template <typename Request, typename Response, typename NodesOf>
absl::StatusOr<Ids> Find(const MetadataStore& store, const std::string& filter,
                         Listing<Request, Response> listing, NodesOf nodes_of) {
  Request request;
  request.mutable_options()->set_filter_query(filter);
  request.mutable_options()->set_max_result_size(100);
  RK_ASSIGN_OR_RETURN(const Response response, (store.*listing)(request));
  Ids ids;
  for (const auto& node : nodes_of(response)) ids.push_back(node.id());
  return ids;
}

absl::StatusOr<Ids> Find(const MetadataStore& store, int kind,
                         const std::string& filter) {
  switch (kind) {
    case 0:
      return Find(store, filter, &MetadataStore::GetArtifacts,
                  [](const auto& answer) { return answer.artifacts(); });
    case 1:
      return Find(store, filter, &MetadataStore::GetExecutions,
                  [](const auto& answer) { return answer.executions(); });
    default:
      return Find(store, filter, &MetadataStore::GetContexts,
                  [](const auto& answer) { return answer.contexts(); });
  }
}

// Longer ones may be at a limit that one more pair of parentheses exceeds.
constexpr size_t kShort = 80;

void CheckFilter(FuzzedStore& store, int kind, const std::string& filter) {
  const auto found = Find(store.metadata(), kind, filter);
  store.CheckCall(found.status());
  if (!found.ok()) {
    Require(absl::IsInvalidArgument(found.status()), found.status().ToString());
    return;
  }
  if (filter.empty() || filter.size() > kShort) return;
  const auto wrapped =
      Find(store.metadata(), kind, absl::StrCat("(", filter, "\n)"));
  Require(wrapped.ok(), wrapped.status().ToString());
  Require(*found == *wrapped, "parentheses change what is found");
  const auto negated =
      Find(store.metadata(), kind, absl::StrCat("NOT (", filter, "\n)"));
  Require(negated.ok(), negated.status().ToString());
}

}  // namespace
}  // namespace rekindle

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* const store = new rekindle::FuzzedStore();
  FuzzedDataProvider input(data, size);
  // The kind is the last byte: the text starts the file.
  const int kind = input.ConsumeIntegralInRange<int>(0, 2);
  rekindle::CheckFilter(*store, kind, input.ConsumeRemainingBytesAsString());
  return 0;
}
