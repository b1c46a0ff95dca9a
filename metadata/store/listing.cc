#include "metadata/store/listing.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "metadata/query/filter_to_sql.h"
#include "metadata/query/page_token.h"
#include "metadata/sqlite/sql_fragment.h"
#include "metadata/store/node_rows.h"
#include "metadata/store/node_table.h"

namespace rekindle {
namespace {

using ::ml_metadata::ListOperationNextPageToken;
using ::ml_metadata::ListOperationOptions;
using OrderByField = ::ml_metadata::ListOperationOptions::OrderByField;

// More than this is never returned at once.
constexpr int kMaxPageSize = 100;

// The table that puts nodes of a kind into contexts.
template <typename Node>
constexpr absl::string_view kMembership = "";
template <>
constexpr absl::string_view kMembership<ml_metadata::Artifact> = "Attribution";
template <>
constexpr absl::string_view kMembership<ml_metadata::Execution> = "Association";

absl::StatusOr<absl::string_view> OrderColumn(const OrderByField& order) {
  switch (order.field()) {
    case OrderByField::ID:
      return "n.id";
    case OrderByField::CREATE_TIME:
      return "n.create_time_since_epoch";
    case OrderByField::LAST_UPDATE_TIME:
      return "n.last_update_time_since_epoch";
    case OrderByField::FIELD_UNSPECIFIED:
      break;
  }
  return absl::InvalidArgumentError(
      "order_by_field.field must be CREATE_TIME, LAST_UPDATE_TIME or ID");
}

template <typename Node>
constexpr FilterTarget kTarget = FilterTarget::kContext;
template <>
constexpr FilterTarget kTarget<ml_metadata::Artifact> = FilterTarget::kArtifact;
template <>
constexpr FilterTarget kTarget<ml_metadata::Execution> =
    FilterTarget::kExecution;

// The query of ids and `column` of the nodes in scope that pass the filter; a
// condition, an order and a limit may follow.
template <typename Node>
absl::StatusOr<SqlFragment> SelectEntries(const ListScope& scope,
                                          absl::string_view column,
                                          const std::string& filter_query) {
  SqlFilter filter;
  filter.condition.Add("TRUE");
  if (!filter_query.empty()) {
    RK_ASSIGN_OR_RETURN(filter, FilterToSql(filter_query, kTarget<Node>));
  }
  SqlFragment sql(filter.repeats ? "SELECT DISTINCT n.id, " : "SELECT n.id, ");
  sql.Add(absl::StrCat(column, " FROM ", NodeTable<Node>::kTable, " n"))
      .Add(filter.joins)
      .Add(" WHERE ")
      .Add(filter.condition);
  if (scope.type_id.has_value()) {
    sql.Add(" AND n.type_id = ").AddValue(*scope.type_id);
  }
  if (scope.context_id.has_value()) {
    sql.Add(absl::StrCat(" AND n.id IN (SELECT ",
                         NodeTable<Node>::kProperties.id_column, " FROM ",
                         kMembership<Node>, " WHERE context_id = "))
        .AddValue(*scope.context_id)
        .Add(")");
  }
  return sql;
}

// Only what comes after the last node of the page before. Update times move
// between pages, so that order remembers whom it has listed at its last time.
SqlFragment AfterToken(const ListOperationNextPageToken& token,
                       const OrderByField& order, absl::string_view column) {
  const absl::string_view beyond = order.is_asc() ? " > " : " < ";
  SqlFragment sql;
  if (order.field() == OrderByField::LAST_UPDATE_TIME) {
    sql.Add(absl::StrCat(" AND ", column, order.is_asc() ? " >= " : " <= "))
        .AddValue(token.field_offset())
        .Add(" AND n.id NOT IN (SELECT value FROM json_each(")
        .AddValue(
            absl::StrCat("[", absl::StrJoin(token.listed_ids(), ","), "]"))
        .Add("))");
    return sql;
  }
  sql.Add(absl::StrCat(" AND (", column, ", n.id)", beyond, "("))
      .AddValue(token.field_offset())
      .Add(", ")
      .AddValue(token.id_offset())
      .Add(")");
  return sql;
}

struct Entry {
  int64_t id;
  int64_t field;  // what the listing is ordered by
};

absl::StatusOr<std::vector<Entry>> ReadEntries(Database& db,
                                               const SqlFragment& sql) {
  RK_ASSIGN_OR_RETURN(Statement rows, db.PrepareOnce(sql.text()));
  sql.BindTo(rows);
  std::vector<Entry> entries;
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return entries;
    entries.push_back({rows.Int(0), rows.Int(1)});
  }
}

std::string TokenAfter(const std::vector<Entry>& page,
                       const ListOperationNextPageToken& before,
                       const ListOperationOptions& options) {
  ListOperationNextPageToken token;
  *token.mutable_set_options() = options;
  token.mutable_set_options()->clear_next_page_token();
  const int64_t last = page.back().field;
  token.set_field_offset(last);
  if (options.order_by_field().field() != OrderByField::LAST_UPDATE_TIME) {
    token.set_id_offset(page.back().id);
    return EncodePageToken(token);
  }
  if (before.field_offset() == last) {
    *token.mutable_listed_ids() = before.listed_ids();
  }
  for (const Entry& entry : page) {
    if (entry.field == last) token.add_listed_ids(entry.id);
  }
  return EncodePageToken(token);
}

// The nodes of `entries`, in their order.
template <typename Node>
absl::StatusOr<std::vector<Node>> Hydrate(Database& db,
                                          const std::vector<Entry>& entries) {
  std::vector<int64_t> ids;
  std::unordered_map<int64_t, size_t> place;
  for (const Entry& entry : entries) {
    place[entry.id] = ids.size();
    ids.push_back(entry.id);
  }
  RK_ASSIGN_OR_RETURN(std::vector<Node> nodes, FindNodes<Node>(db, ids));
  std::sort(nodes.begin(), nodes.end(), [&](const Node& a, const Node& b) {
    return place[a.id()] < place[b.id()];
  });
  return nodes;
}

}  // namespace

template <typename Node>
absl::StatusOr<Page<Node>> ListNodes(Database& db, const ListScope& scope,
                                     const ListOperationOptions& options) {
  if (options.max_result_size() <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_result_size must be 1 to ", kMaxPageSize, ", not ",
                     options.max_result_size()));
  }
  const size_t size = std::min(options.max_result_size(), kMaxPageSize);
  const OrderByField& order = options.order_by_field();
  RK_ASSIGN_OR_RETURN(const absl::string_view column, OrderColumn(order));

  RK_ASSIGN_OR_RETURN(
      SqlFragment sql,
      SelectEntries<Node>(scope, column, options.filter_query()));
  ListOperationNextPageToken before;
  if (!options.next_page_token().empty()) {
    RK_ASSIGN_OR_RETURN(before, DecodePageToken(options));
    sql.Add(AfterToken(before, order, column));
  }
  const absl::string_view direction = order.is_asc() ? " ASC" : " DESC";
  sql.Add(absl::StrCat(" ORDER BY ", column, direction, ", n.id", direction,
                       " LIMIT "))
      .AddValue(static_cast<int64_t>(size) + 1);  // One more: is there more?

  RK_ASSIGN_OR_RETURN(std::vector<Entry> entries, ReadEntries(db, sql));
  Page<Node> page;
  if (entries.size() > size) {
    entries.resize(size);
    page.next_page_token = TokenAfter(entries, before, options);
  }
  RK_ASSIGN_OR_RETURN(page.nodes, Hydrate<Node>(db, entries));
  return page;
}

template <typename Node>
absl::StatusOr<std::vector<int64_t>> FilterIds(
    Database& db, const std::string& filter_query,
    std::optional<absl::Span<const int64_t>> among) {
  RK_ASSIGN_OR_RETURN(SqlFragment sql,
                      SelectEntries<Node>({}, "n.id", filter_query));
  if (among.has_value()) {
    sql.Add(" AND n.id IN (SELECT value FROM json_each(")
        .AddValue(absl::StrCat("[", absl::StrJoin(*among, ","), "]"))
        .Add("))");
  }
  sql.Add(" ORDER BY n.id");
  RK_ASSIGN_OR_RETURN(const std::vector<Entry> entries, ReadEntries(db, sql));
  std::vector<int64_t> ids;
  ids.reserve(entries.size());
  for (const Entry& entry : entries) ids.push_back(entry.id);
  return ids;
}

template <typename Node>
absl::StatusOr<std::vector<Node>> ListAllNodes(Database& db,
                                               const ListScope& scope) {
  RK_ASSIGN_OR_RETURN(SqlFragment sql,
                      SelectEntries<Node>(scope, "n.id", /*filter_query=*/""));
  sql.Add(" ORDER BY n.id");
  RK_ASSIGN_OR_RETURN(const std::vector<Entry> entries, ReadEntries(db, sql));
  return Hydrate<Node>(db, entries);
}

// A type cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define RK_INSTANTIATE(Node)                                                  \
  template absl::StatusOr<Page<Node>> ListNodes(Database&, const ListScope&,  \
                                                const ListOperationOptions&); \
  template absl::StatusOr<std::vector<int64_t>> FilterIds<Node>(              \
      Database&, const std::string&,                                          \
      std::optional<absl::Span<const int64_t>>);                              \
  template absl::StatusOr<std::vector<Node>> ListAllNodes(Database&,          \
                                                          const ListScope&)
// NOLINTEND(bugprone-macro-parentheses)

RK_INSTANTIATE(ml_metadata::Artifact);
RK_INSTANTIATE(ml_metadata::Execution);
RK_INSTANTIATE(ml_metadata::Context);

#undef RK_INSTANTIATE

}  // namespace rekindle
