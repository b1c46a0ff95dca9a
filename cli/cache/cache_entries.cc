#include "cli/cache/cache_entries.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "cli/flag_set.h"
#include "cli/metadata/node_calls.h"
#include "cli/table.h"
#include "component/cache/cache.h"
#include "component/cache/cache_fields.h"
#include "component/resolve/artifact_roots.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/filter_text.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ml_metadata::Execution;
using nlohmann::json;

constexpr size_t kShortKey = 12;

// Executions of the pipeline in this state, newest first.
NodeQuery ExecutionsIn(absl::string_view state, const EntryFilter& filter) {
  using OrderByField = ml_metadata::ListOperationOptions::OrderByField;
  NodeQuery query;
  std::string text = absl::StrCat(
      "last_known_state = ", state,
      " AND contexts_key.type = ", QuoteForFilter(kCacheContextType));
  if (!filter.pipeline.empty()) {
    absl::StrAppend(&text,
                    " AND contexts_pipeline.type = 'pipeline' AND "
                    "contexts_pipeline.name = ",
                    QuoteForFilter(filter.pipeline));
  }
  query.options.set_filter_query(text);
  query.options.mutable_order_by_field()->set_field(OrderByField::ID);
  query.options.mutable_order_by_field()->set_is_asc(false);
  return query;
}

// How many executions reused what each one computed.
absl::StatusOr<std::map<int64_t, int64_t>> CountHits(
    const EntryFilter& filter, const MetadataStore& store) {
  std::map<int64_t, int64_t> hits;
  RK_RETURN_IF_ERROR(ForEachNode<Execution>(
      store, ExecutionsIn("CACHED", filter), [&](const Execution& execution) {
        if (const auto from = CustomInt(execution, kCachedFromProperty)) {
          ++hits[*from];
        }
        return absl::OkStatus();
      }));
  return hits;
}

bool Passes(const CacheFields& fields, const std::string& key,
            const EntryFilter& filter) {
  const auto node = fields.find("node");
  return (filter.node.empty() ||
          (node != fields.end() && node->second == filter.node)) &&
         absl::StartsWith(key, filter.key_prefix);
}

std::string FieldOf(const ListedEntry& listed, const std::string& name) {
  const auto found = listed.entry.fields.find(name);
  return found == listed.entry.fields.end() ? "" : found->second;
}

// "3d4h", "12m", "5s": the two largest units.
std::string ShortAge(absl::Duration age) {
  constexpr absl::Duration kDay = absl::Hours(24);
  const auto days = age / kDay;
  if (days > 0) {
    return absl::StrCat(days, "d", (age - days * kDay) / absl::Hours(1), "h");
  }
  const absl::Duration unit =
      age >= absl::Hours(1) ? absl::Minutes(1) : absl::Seconds(1);
  return absl::FormatDuration(absl::Trunc(age, unit));
}

std::string OutputsText(const CacheEntry& entry) {
  return absl::StrJoin(entry.outputs, " ",
                       [](std::string* out, const CacheEntry::Output& output) {
                         absl::StrAppend(out, output.key, "=",
                                         output.artifact.id());
                       });
}

}  // namespace

void EntryFilter::Bind(FlagSet& flags) {
  flags.String("pipeline", "NAME", &pipeline, "only those of this pipeline");
  flags.String("node", "NAME", &node, "only those of this node");
  flags.String("key", "PREFIX", &key_prefix,
               "only those whose key begins like this");
}

absl::StatusOr<std::vector<ListedEntry>> ListCacheEntries(
    const EntryFilter& filter, absl::Time now, const MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const auto hits, CountHits(filter, store));
  std::vector<ListedEntry> entries;
  RK_RETURN_IF_ERROR(ForEachNode<Execution>(
      store, ExecutionsIn("COMPLETE", filter),
      [&](const Execution& execution) -> absl::Status {
        RK_ASSIGN_OR_RETURN(std::optional<CacheEntry> entry,
                            LoadCacheEntry(execution, store));
        if (!entry.has_value()) return absl::OkStatus();
        std::string key = CacheKeyOf(entry->fields);
        if (!Passes(entry->fields, key, filter)) return absl::OkStatus();
        ListedEntry& listed = entries.emplace_back();
        const auto counted = hits.find(execution.id());
        listed.hits = counted == hits.end() ? 0 : counted->second;
        listed.unusable =
            WhyUnusable(*entry, {absl::InfiniteDuration(), now,
                                 FileRules{ArtifactRoots::Anywhere()}});
        listed.entry = *std::move(entry);
        listed.key = std::move(key);
        return absl::OkStatus();
      }));
  return entries;
}

std::string EntriesToTable(const std::vector<ListedEntry>& entries,
                           absl::Time now) {
  std::vector<std::vector<std::string>> rows = {{"KEY", "PIPELINE", "NODE",
                                                 "EXECUTION", "AGE", "HITS",
                                                 "OUTPUTS", "USABLE"}};
  for (const ListedEntry& listed : entries) {
    rows.push_back(
        {listed.key.substr(0, kShortKey), FieldOf(listed, "pipeline"),
         FieldOf(listed, "node"), absl::StrCat(listed.entry.execution.id()),
         ShortAge(now - listed.entry.CreateTime()), absl::StrCat(listed.hits),
         OutputsText(listed.entry),
         listed.unusable.empty() ? "yes"
                                 : absl::StrCat("no: ", listed.unusable)});
  }
  return ToTable(std::move(rows));
}

json EntriesToJson(const std::vector<ListedEntry>& entries, absl::Time now) {
  json list = json::array();
  for (const ListedEntry& listed : entries) {
    json outputs = json::array();
    for (const CacheEntry::Output& output : listed.entry.outputs) {
      outputs.push_back({{"key", output.key},
                         {"artifact_id", output.artifact.id()},
                         {"uri", output.artifact.uri()}});
    }
    list.push_back(
        {{"key", listed.key},
         {"pipeline", FieldOf(listed, "pipeline")},
         {"node", FieldOf(listed, "node")},
         {"execution_id", listed.entry.execution.id()},
         {"age_seconds", absl::ToInt64Seconds(now - listed.entry.CreateTime())},
         {"hits", listed.hits},
         {"outputs", std::move(outputs)},
         {"usable", listed.unusable.empty()}});
    if (!listed.unusable.empty()) list.back()["reason"] = listed.unusable;
  }
  return list;
}

}  // namespace rekindle
