// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LIMITS_CONNECTION_LIMITS_H_
#define REKINDLE_METADATA_SERVER_LIMITS_CONNECTION_LIMITS_H_

#include <cstdint>

#include "metadata/server/limits/client_budget.h"

namespace rekindle {

// How many gRPC connections a process may hold that may have `descriptors` open
// files: half of what is left beside the database's files, spools and what
// libraries open; the other half is HTTP's. `all` and `each` are what the
// operator says; 0 is nothing.
ClientBudget::Limits ConnectionLimits(int64_t descriptors, int all, int each);

// How many open files this process may have (RLIMIT_NOFILE).
int64_t MaxOpenFiles();

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LIMITS_CONNECTION_LIMITS_H_
