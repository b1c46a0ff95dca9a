#include "metadata/store/listing.h"

#include <algorithm>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "metadata/query/filter_parser.h"
#include "metadata/query/filter_to_sql.h"
#include "metadata/query/page_token.h"
#include "metadata/sqlite/schema.h"
#include "metadata/sqlite/sql_fragment.h"
#include "metadata/store/among.h"
#include "metadata/store/latest.h"
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

constexpr absl::string_view kId = "n.id";
constexpr absl::string_view kCreateTime = "n.create_time_since_epoch";

absl::StatusOr<absl::string_view> OrderColumn(const OrderByField& order) {
  switch (order.field()) {
    case OrderByField::ID:
      return kId;
    case OrderByField::CREATE_TIME:
      return kCreateTime;
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

// Rows that hold the nodes in scope in the order of the listing, if there are
// such. The node's own row is `n`.
struct Source {
  SqlFragment rows = {};       // what follows FROM, up to the joins of a filter
  SqlFragment condition = {};  // which of them are in scope
  absl::string_view id;        // the column of the node's id
  absl::string_view field;     // the column that the listing is ordered by
};

// A cross join: SQLite must not turn it around.
template <typename Node>
std::string CrossJoinNodes(absl::string_view id) {
  return absl::StrCat(" CROSS JOIN ", NodeTable<Node>::kTable,
                      " n ON n.id = ", id);
}

template <typename Node>
constexpr absl::string_view kMemberId =
    std::is_same_v<Node, ml_metadata::Artifact> ? "m.artifact_id"
                                                : "m.execution_id";

// A context's nodes, in the order of ids.
template <typename Node>
Source FromMembers(int64_t context_id) {
  Source source = {.id = kMemberId<Node>, .field = kMemberId<Node>};
  source.rows.Add(absl::StrCat(kMembership<Node>, " m",
                               CrossJoinNodes<Node>(kMemberId<Node>)));
  source.condition.Add("m.context_id = ").AddValue(context_id);
  return source;
}

// A context's artifacts of a type and, if given, a state; with a state in the
// order of creation.
Source FromLatest(const LatestKey& key, absl::string_view column) {
  Source source = {.id = "l.artifact_id",
                   .field = column == kId ? "l.artifact_id" : "l.create_time"};
  source.rows.Add(
      absl::StrCat(kLatestTable, " l",
                   CrossJoinNodes<ml_metadata::Artifact>("l.artifact_id")));
  source.condition.Add("l.context_id = ")
      .AddValue(key.context_id)
      .Add(" AND l.type_id = ")
      .AddValue(key.type_id);
  if (key.state.has_value()) {
    source.condition.Add(" AND l.state = ").AddValue(*key.state);
  }
  return source;
}

// Whether `n` is in the context of the scope, if it has one.
template <typename Node>
SqlFragment InContext(const ListScope& scope) {
  if (!scope.context_id.has_value()) return SqlFragment("TRUE");
  return SqlFragment(absl::StrCat("n.id IN (SELECT ", kMemberId<Node>, " FROM ",
                                  kMembership<Node>,
                                  " m WHERE m.context_id = "))
      .AddValue(*scope.context_id)
      .Add(")");
}

// All nodes; SQLite chooses the order in which to look at them.
template <typename Node>
Source FromTable(const ListScope& scope, absl::string_view column) {
  Source source = {.id = kId, .field = column};
  source.rows.Add(absl::StrCat(NodeTable<Node>::kTable, " n"));
  source.condition = InContext<Node>(scope);
  return source;
}

// The key to start from: it has the order of the listing, or little to sort.
absl::StatusOr<std::optional<LatestKey>> ChooseLatestKey(
    Database& db, const ListScope& scope, absl::string_view column,
    const FilterExpr& filter) {
  if (column != kCreateTime && column != kId) return std::nullopt;
  RK_ASSIGN_OR_RETURN(
      const std::optional<LatestKey> key,
      FindLatestKey(db, scope.context_id, scope.type_id, filter));
  if (!key.has_value()) return std::nullopt;
  if (column == kCreateTime && key->state.has_value()) return key;
  RK_ASSIGN_OR_RETURN(const bool few, AreFew(db, *key));
  return few ? key : std::nullopt;
}

template <typename Node>
absl::StatusOr<Source> ChooseSource(Database& db, const ListScope& scope,
                                    absl::string_view column,
                                    const FilterExpr* filter) {
  if constexpr (std::is_same_v<Node, ml_metadata::Artifact>) {
    if (filter != nullptr) {
      RK_ASSIGN_OR_RETURN(const std::optional<LatestKey> key,
                          ChooseLatestKey(db, scope, column, *filter));
      if (key.has_value()) return FromLatest(*key, column);
    }
  }
  if (column == kId && scope.context_id.has_value()) {
    return FromMembers<Node>(*scope.context_id);
  }
  return FromTable<Node>(scope, column);
}

// The query of the nodes in scope that pass the filter: their ids and what they
// are ordered by. A condition, an order and a limit may follow.
struct Selection {
  SqlFragment sql;
  absl::string_view id;
  absl::string_view field;
};

template <typename Node>
absl::StatusOr<Selection> SelectEntries(Database& db, const ListScope& scope,
                                        absl::string_view column,
                                        const std::string& filter_query) {
  FilterExprPtr parsed;
  SqlFilter filter;
  filter.condition.Add("TRUE");
  if (!filter_query.empty()) {
    RK_ASSIGN_OR_RETURN(parsed, ParseFilter(filter_query));
    RK_ASSIGN_OR_RETURN(filter,
                        FilterToSql(*parsed, filter_query, kTarget<Node>));
  }
  RK_ASSIGN_OR_RETURN(const Source source,
                      ChooseSource<Node>(db, scope, column, parsed.get()));
  SqlFragment sql(filter.repeats ? "SELECT DISTINCT " : "SELECT ");
  sql.Add(absl::StrCat(source.id, ", ", source.field, " FROM "))
      .Add(source.rows)
      .Add(filter.joins)
      .Add(" WHERE ")
      .Add(source.condition)
      .Add(" AND ")
      .Add(filter.condition);
  if (scope.type_id.has_value()) {
    sql.Add(" AND n.type_id = ").AddValue(*scope.type_id);
  }
  return Selection{std::move(sql), source.id, source.field};
}

// Only what comes after the last node of the page before. Update times move
// between pages, so that order remembers whom it has listed at its last time.
SqlFragment AfterToken(const ListOperationNextPageToken& token,
                       const OrderByField& order, const Selection& selection) {
  const absl::string_view beyond = order.is_asc() ? " > " : " < ";
  SqlFragment sql;
  if (order.field() == OrderByField::LAST_UPDATE_TIME) {
    sql.Add(absl::StrCat(" AND ", selection.field,
                         order.is_asc() ? " >= " : " <= "))
        .AddValue(token.field_offset())
        .Add(absl::StrCat(" AND ", selection.id,
                          " NOT IN (SELECT value FROM json_each("))
        .AddValue(
            absl::StrCat("[", absl::StrJoin(token.listed_ids(), ","), "]"))
        .Add("))");
    return sql;
  }
  sql.Add(absl::StrCat(" AND (", selection.field, ", ", selection.id, ")",
                       beyond, "("))
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
  RK_ASSIGN_OR_RETURN(Statement rows, db.PrepareForNow(sql.text()));
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
absl::StatusOr<Nodes<Node>> Hydrate(Database& db,
                                    const std::vector<Entry>& entries) {
  std::vector<int64_t> ids;
  std::unordered_map<int64_t, size_t> place;
  for (const Entry& entry : entries) {
    place[entry.id] = ids.size();
    ids.push_back(entry.id);
  }
  RK_ASSIGN_OR_RETURN(Nodes<Node> nodes, FindNodes<Node>(db, ids));
  std::sort(nodes.pointer_begin(), nodes.pointer_end(),
            [&](const Node* a, const Node* b) {
              return place[a->id()] < place[b->id()];
            });
  return nodes;
}

// Whether a good part of all nodes are of the type: then it is quicker to look
// at all of them in order than to find those of the type and sort them.
template <typename Node>
absl::StatusOr<bool> IsMuch(Database& db, int64_t type_id) {
  RK_ASSIGN_OR_RETURN(
      Statement counts,
      db.Prepare(absl::StrCat("SELECT count(*), (SELECT max(id) FROM ",
                              NodeTable<Node>::kTable, ") FROM ",
                              NodeTable<Node>::kTable, " WHERE type_id = ?")));
  counts.Bind(type_id);
  RK_RETURN_IF_ERROR(counts.Step().status());
  return counts.Int(0) * 4 > counts.Int(1);
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
      Selection selection,
      SelectEntries<Node>(db, scope, column, options.filter_query()));
  ListOperationNextPageToken before;
  if (!options.next_page_token().empty()) {
    RK_ASSIGN_OR_RETURN(before, DecodePageToken(options));
    selection.sql.Add(AfterToken(before, order, selection));
  }
  const absl::string_view direction = order.is_asc() ? " ASC" : " DESC";
  selection.sql
      .Add(absl::StrCat(" ORDER BY ", selection.field, direction, ", ",
                        selection.id, direction, " LIMIT "))
      .AddValue(static_cast<int64_t>(size) + 1);  // One more: is there more?

  RK_ASSIGN_OR_RETURN(std::vector<Entry> entries,
                      ReadEntries(db, selection.sql));
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
  RK_ASSIGN_OR_RETURN(Selection selection,
                      SelectEntries<Node>(db, {}, kId, filter_query));
  if (among.has_value()) {
    selection.sql.Add(" AND ").Add(Among(kId, *among));
  }
  selection.sql.Add(" ORDER BY n.id");
  RK_ASSIGN_OR_RETURN(const std::vector<Entry> entries,
                      ReadEntries(db, selection.sql));
  std::vector<int64_t> ids;
  ids.reserve(entries.size());
  for (const Entry& entry : entries) ids.push_back(entry.id);
  return ids;
}

template <typename Node>
absl::StatusOr<Nodes<Node>> ListAllNodes(Database& db, const ListScope& scope) {
  SqlFragment condition = InContext<Node>(scope);
  if (scope.type_id.has_value()) {
    RK_ASSIGN_OR_RETURN(const bool many, IsMuch<Node>(db, *scope.type_id));
    condition.Add(many ? " AND +n.type_id = " : " AND n.type_id = ")
        .AddValue(*scope.type_id);
  }
  return FindNodesWhere<Node>(db, condition);
}

// A type cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define RK_INSTANTIATE(Node)                                                  \
  template absl::StatusOr<Page<Node>> ListNodes(Database&, const ListScope&,  \
                                                const ListOperationOptions&); \
  template absl::StatusOr<std::vector<int64_t>> FilterIds<Node>(              \
      Database&, const std::string&,                                          \
      std::optional<absl::Span<const int64_t>>);                              \
  template absl::StatusOr<Nodes<Node>> ListAllNodes(Database&, const ListScope&)
// NOLINTEND(bugprone-macro-parentheses)

RK_INSTANTIATE(ml_metadata::Artifact);
RK_INSTANTIATE(ml_metadata::Execution);
RK_INSTANTIATE(ml_metadata::Context);

#undef RK_INSTANTIATE

}  // namespace rekindle
