// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_OPENAPI_H_
#define REKINDLE_METADATA_SERVER_OPENAPI_H_

#include <string>
#include <vector>

#include "metadata/server/method_table.h"

namespace rekindle {

// An OpenAPI 3.0 document of `methods` as POST /api/v1/NAME, with a schema for
// every message that they reach.
std::string OpenApiDocument(const std::vector<Method>& methods,
                            const std::string& version);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_OPENAPI_H_
