#ifndef REKINDLE_METADATA_QUERY_PAGE_TOKEN_H_
#define REKINDLE_METADATA_QUERY_PAGE_TOKEN_H_

#include <string>

#include "absl/status/statusor.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// The text of a page token, as clients carry it: Decode(Encode(x)) == x.
std::string EncodePageToken(
    const ml_metadata::ListOperationNextPageToken& token);

// Reads the token in `options` and checks that it continues a listing with the
// same order and filter.
//
//   INVALID_ARGUMENT  not a token, or of another listing
absl::StatusOr<ml_metadata::ListOperationNextPageToken> DecodePageToken(
    const ml_metadata::ListOperationOptions& options);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_QUERY_PAGE_TOKEN_H_
