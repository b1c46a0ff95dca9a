#include "metadata/query/page_token.h"

#include "absl/strings/escaping.h"

namespace rekindle {
namespace {

using ::ml_metadata::ListOperationNextPageToken;
using ::ml_metadata::ListOperationOptions;

bool SameListing(const ListOperationOptions& a, const ListOperationOptions& b) {
  return a.order_by_field().field() == b.order_by_field().field() &&
         a.order_by_field().is_asc() == b.order_by_field().is_asc() &&
         a.filter_query() == b.filter_query();
}

}  // namespace

std::string EncodePageToken(const ListOperationNextPageToken& token) {
  return absl::WebSafeBase64Escape(token.SerializeAsString());
}

absl::StatusOr<ListOperationNextPageToken> DecodePageToken(
    const ListOperationOptions& options) {
  std::string bytes;
  ListOperationNextPageToken token;
  if (!absl::WebSafeBase64Unescape(options.next_page_token(), &bytes) ||
      !token.ParseFromString(bytes)) {
    return absl::InvalidArgumentError(
        "next_page_token is not one that a listing returned");
  }
  if (!SameListing(token.set_options(), options)) {
    return absl::InvalidArgumentError(
        "next_page_token belongs to a listing with another order_by_field or "
        "filter_query; repeat those of its first page");
  }
  return token;
}

}  // namespace rekindle
