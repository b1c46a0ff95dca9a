#include "metadata/store/among.h"

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace rekindle {
namespace {

bool Follows(int64_t a, int64_t b) { return a < b && b - 1 == a; }

bool FollowOneAnother(absl::Span<const int64_t> ids) {
  return std::adjacent_find(ids.begin(), ids.end(), std::not_fn(Follows)) ==
         ids.end();
}

}  // namespace

SqlFragment Among(absl::string_view column, absl::Span<const int64_t> ids) {
  SqlFragment condition(column);
  if (ids.size() == 1) return condition.Add(" = ").AddValue(ids.front());
  if (!ids.empty() && FollowOneAnother(ids)) {
    return condition.Add(" BETWEEN ")
        .AddValue(ids.front())
        .Add(" AND ")
        .AddValue(ids.back());
  }
  return condition.Add(" IN (SELECT value FROM json_each(")
      .AddValue(absl::StrCat("[", absl::StrJoin(ids, ","), "]"))
      .Add("))");
}

}  // namespace rekindle
