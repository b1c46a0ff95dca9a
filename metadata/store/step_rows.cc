#include "metadata/store/step_rows.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/store/event_rows.h"

namespace rekindle {
namespace {

using ::google::protobuf::RepeatedPtrField;
using ::ml_metadata::Event;
using ::ml_metadata::Execution;
using ::rekindle::v1::Binding;
using ::rekindle::v1::PreparedOutput;
using Json = nlohmann::json;

void SetTextProperty(const char* name, const std::string& value,
                     Execution* execution) {
  (*execution->mutable_custom_properties())[name].set_string_value(value);
}

bool IsPrepared(const Json& entry) {
  return entry.is_object() && entry.contains("uri") &&
         entry["uri"].is_string() && entry.contains("digest") &&
         entry["digest"].is_string();
}

bool SameBinding(const Binding& a, const Binding& b) {
  return a.key() == b.key() && a.index() == b.index() &&
         a.artifact_id() == b.artifact_id();
}

bool SameBindings(const std::vector<Binding>& a,
                  const std::vector<Binding>& b) {
  return std::is_permutation(a.begin(), a.end(), b.begin(), b.end(),
                             SameBinding);
}

absl::Status DeleteEvents(Database& db, int64_t execution_id,
                          Event::Type type) {
  for (const char* sql :
       {"DELETE FROM EventPath WHERE event_id IN (SELECT id FROM Event "
        "WHERE execution_id = ? AND type = ?)",
        "DELETE FROM Event WHERE execution_id = ? AND type = ?"}) {
    RK_ASSIGN_OR_RETURN(Statement remove, db.Prepare(sql));
    remove.Bind(execution_id, type);
    RK_RETURN_IF_ERROR(remove.Run());
  }
  return absl::OkStatus();
}

}  // namespace

std::string TextProperty(const Execution& execution, const char* name) {
  const auto found = execution.custom_properties().find(name);
  if (found == execution.custom_properties().end()) return "";
  return found->second.string_value();
}

AttemptLog AttemptsOf(const Execution& execution) {
  return AttemptLog(TextProperty(execution, kAttempts));
}

void SetAttempts(const AttemptLog& attempts, Execution* execution) {
  SetTextProperty(kAttempts, attempts.ToJson(), execution);
}

std::vector<PreparedOutput> PreparedOf(const Execution& execution) {
  std::vector<PreparedOutput> outputs;
  const Json list = Json::parse(TextProperty(execution, kPreparedOutputs),
                                nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return outputs;
  for (const Json& entry : list) {
    if (!IsPrepared(entry)) continue;
    PreparedOutput& output = outputs.emplace_back();
    output.set_uri(entry["uri"].get<std::string>());
    output.set_digest(entry["digest"].get<std::string>());
  }
  return outputs;
}

void SetPrepared(const RepeatedPtrField<PreparedOutput>& outputs,
                 Execution* execution) {
  Json list = Json::array();
  for (const PreparedOutput& output : outputs) {
    list.push_back({{"uri", output.uri()}, {"digest", output.digest()}});
  }
  SetTextProperty(kPreparedOutputs,
                  list.dump(-1, ' ', false, Json::error_handler_t::replace),
                  execution);
  SetTextProperty(kPreparedWorkKey, TextProperty(*execution, kWorkKey),
                  execution);
}

bool IsFinished(const Execution& execution) {
  return execution.last_known_state() == Execution::COMPLETE ||
         execution.last_known_state() == Execution::CACHED;
}

std::vector<Event> EventsFor(const std::vector<Binding>& bindings,
                             Event::Type type, int64_t execution_id) {
  std::vector<Event> events;
  for (const Binding& binding : bindings) {
    auto event =
        std::find_if(events.begin(), events.end(), [&](const Event& other) {
          return other.artifact_id() == binding.artifact_id();
        });
    if (event == events.end()) {
      event = events.emplace(events.end());
      event->set_artifact_id(binding.artifact_id());
      event->set_execution_id(execution_id);
      event->set_type(type);
    }
    event->mutable_path()->add_steps()->set_key(binding.key());
    event->mutable_path()->add_steps()->set_index(binding.index());
  }
  return events;
}

absl::StatusOr<std::vector<Binding>> FindBindings(Database& db,
                                                  int64_t execution_id,
                                                  Event::Type type) {
  RK_ASSIGN_OR_RETURN(const Events events,
                      FindEventsByExecutions(db, {execution_id}));
  std::vector<Binding> bindings;
  for (const Event& event : events) {
    if (event.type() != type) continue;
    const auto& steps = event.path().steps();
    for (int i = 0; i + 1 < steps.size(); i += 2) {
      Binding& binding = bindings.emplace_back();
      binding.set_key(steps[i].key());
      binding.set_index(static_cast<int32_t>(steps[i + 1].index()));
      binding.set_artifact_id(event.artifact_id());
    }
  }
  return bindings;
}

absl::StatusOr<std::vector<Binding>> FindOutputs(Database& db,
                                                 int64_t execution_id) {
  RK_ASSIGN_OR_RETURN(std::vector<Binding> outputs,
                      FindBindings(db, execution_id, Event::OUTPUT));
  RK_ASSIGN_OR_RETURN(const std::vector<Binding> found,
                      FindBindings(db, execution_id, Event::INTERNAL_OUTPUT));
  outputs.insert(outputs.end(), found.begin(), found.end());
  return outputs;
}

absl::Status ReplaceBindings(Database& db, int64_t execution_id,
                             Event::Type type,
                             const std::vector<Binding>& bindings,
                             int64_t now_millis) {
  RK_ASSIGN_OR_RETURN(const std::vector<Binding> stored,
                      FindBindings(db, execution_id, type));
  if (SameBindings(stored, bindings)) return absl::OkStatus();
  RK_RETURN_IF_ERROR(DeleteEvents(db, execution_id, type));
  for (const Event& event : EventsFor(bindings, type, execution_id)) {
    RK_RETURN_IF_ERROR(PutEvent(db, event, now_millis));
  }
  return absl::OkStatus();
}

}  // namespace rekindle
