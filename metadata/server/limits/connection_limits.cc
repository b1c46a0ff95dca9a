#include "metadata/server/limits/connection_limits.h"

#include <algorithm>
#include <cstdint>

#include <sys/resource.h>

#include "metadata/server/limits/client_budget.h"

namespace rekindle {
namespace {

// The database's connections have three files each, and gRPC has some dozen.
constexpr int64_t kOtherFiles = 96;
// A connection costs memory, too; more must be asked for.
constexpr int64_t kEnough = 512;

}  // namespace

ClientBudget::Limits ConnectionLimits(int64_t descriptors, int all, int each) {
  const int64_t room = std::max<int64_t>((descriptors - kOtherFiles) / 2, 8);
  ClientBudget::Limits limits;
  limits.all =
      static_cast<int>(std::min(room, all > 0 ? int64_t{all} : kEnough));
  limits.each = each > 0 ? each : std::max(limits.all / 2, 1);
  return limits;
}

int64_t MaxOpenFiles() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  constexpr rlim_t kMany = 1 << 20;
  return static_cast<int64_t>(std::min(limit.rlim_cur, kMany));
}

}  // namespace rekindle
