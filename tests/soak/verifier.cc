#include "tests/soak/verifier.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <google/protobuf/util/message_differencer.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "tests/soak/operation.h"
#include "tests/soak/record.h"

namespace rekindle::soak {
namespace {

using ::google::protobuf::Message;
using ::google::protobuf::util::MessageDifferencer;
using ::ml_metadata::Artifact;
using ::ml_metadata::Context;
using ::ml_metadata::Event;
using ::ml_metadata::Execution;

constexpr size_t kAtOnce = 100;

absl::Status Wrong(const Record& record, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("operation ", record.operation.name(), ": ", what));
}

absl::Status ExpectSame(const Record& record, const Message& expected,
                        const Message& stored) {
  MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  if (differencer.Compare(expected, stored)) return absl::OkStatus();
  return Wrong(record, absl::StrCat(expected.GetDescriptor()->name(),
                                    " differs: ", difference));
}

// A stored node without what the store added to it.
template <typename Node>
Node Content(Node node) {
  node.clear_id();
  node.clear_type_id();
  node.clear_type();
  node.clear_create_time_since_epoch();
  node.clear_last_update_time_since_epoch();
  return node;
}

template <typename Nodes>
std::set<int64_t> IdsOf(const Nodes& nodes) {
  std::set<int64_t> ids;
  for (const auto& node : nodes) ids.insert(node.id());
  return ids;
}

// Calls that find by external id answer NOT_FOUND when they find nothing.
template <typename Response>
absl::StatusOr<Response> OrNothing(absl::StatusOr<Response> answer) {
  if (absl::IsNotFound(answer.status())) return Response();
  return answer;
}

// What is stored of some operations, by external id.
struct Stored {
  std::map<std::string, Artifact> artifacts;
  std::map<std::string, Execution> executions;
  std::map<std::string, Context> contexts;
  std::map<int64_t, std::vector<Event>> events;  // by execution
};

absl::StatusOr<Stored> Load(const MetadataStore& store,
                            absl::Span<Record* const> records) {
  ml_metadata::GetArtifactsByExternalIdsRequest artifacts_of;
  ml_metadata::GetExecutionsByExternalIdsRequest executions_of;
  ml_metadata::GetContextsByExternalIdsRequest contexts_of;
  for (const Record* record : records) {
    const Operation& operation = record->operation;
    executions_of.add_external_ids(operation.name());
    contexts_of.add_external_ids(operation.name());
    for (int i = 0; i < operation.artifacts(); ++i) {
      artifacts_of.add_external_ids(operation.artifact_name(i));
    }
  }
  Stored stored;
  RK_ASSIGN_OR_RETURN(const auto artifacts,
                      OrNothing(store.GetArtifactsByExternalIds(artifacts_of)));
  for (const Artifact& artifact : artifacts.artifacts()) {
    stored.artifacts[artifact.external_id()] = artifact;
  }
  RK_ASSIGN_OR_RETURN(
      const auto executions,
      OrNothing(store.GetExecutionsByExternalIds(executions_of)));
  ml_metadata::GetEventsByExecutionIDsRequest events_of;
  for (const Execution& execution : executions.executions()) {
    stored.executions[execution.external_id()] = execution;
    events_of.add_execution_ids(execution.id());
  }
  RK_ASSIGN_OR_RETURN(const auto contexts,
                      OrNothing(store.GetContextsByExternalIds(contexts_of)));
  for (const Context& context : contexts.contexts()) {
    stored.contexts[context.external_id()] = context;
  }
  RK_ASSIGN_OR_RETURN(const auto events,
                      store.GetEventsByExecutionIDs(events_of));
  for (const Event& event : events.events()) {
    stored.events[event.execution_id()].push_back(event);
  }
  return stored;
}

// Compares one record with what was loaded.
class RecordCheck {
 public:
  RecordCheck(const MetadataStore& store, const Stored& stored, Record& record)
      : store_(store),
        stored_(stored),
        record_(record),
        operation_(record.operation) {
    for (int i = 0; i < operation_.artifacts(); ++i) {
      const auto found = stored.artifacts.find(operation_.artifact_name(i));
      if (found != stored.artifacts.end()) artifacts_.push_back(found->second);
    }
    execution_ = Find(stored.executions);
    context_ = Find(stored.contexts);
  }

  absl::Status Run(VerifyCounts* counts) {
    ++counts->verified;
    switch (operation_.kind()) {
      case Operation::Kind::kExecution:
        return CheckExecution(counts);
      case Operation::Kind::kBatch:
        return CheckBatch(counts);
      case Operation::Kind::kStep:
        return CheckStep(counts);
    }
    return absl::OkStatus();
  }

 private:
  template <typename Node>
  const Node* Find(const std::map<std::string, Node>& nodes) const {
    const auto found = nodes.find(operation_.name());
    return found == nodes.end() ? nullptr : &found->second;
  }

  bool HasAllArtifacts() const {
    return artifacts_.size() == static_cast<size_t>(operation_.artifacts());
  }

  // Settles whether a write that is there (`any` of it, `all` of it) may be so.
  absl::Status Settle(bool any, bool all, Known* known, VerifyCounts* counts) {
    if (any && !all) return Wrong(record_, "torn: only a part is stored");
    if (*known == Known::kStored && !all) {
      return Wrong(record_, "lost: it was acknowledged and is not stored");
    }
    if (*known == Known::kAbsent && any) {
      return Wrong(record_, "is stored, and was not before");
    }
    if (*known == Known::kUnknown) {
      ++(all ? counts->found_stored : counts->found_absent);
      *known = all ? Known::kStored : Known::kAbsent;
    }
    return absl::OkStatus();
  }

  absl::Status CheckExecution(VerifyCounts* counts) {
    const bool any =
        execution_ != nullptr || context_ != nullptr || !artifacts_.empty();
    const bool all =
        execution_ != nullptr && context_ != nullptr && HasAllArtifacts();
    RK_RETURN_IF_ERROR(Settle(any, all, &record_.known, counts));
    if (!all) return absl::OkStatus();
    RK_RETURN_IF_ERROR(CheckIds());
    RK_RETURN_IF_ERROR(
        ExpectSame(record_, MakeExecution(operation_), Content(*execution_)));
    RK_RETURN_IF_ERROR(
        ExpectSame(record_, MakeContext(operation_), Content(*context_)));
    RK_RETURN_IF_ERROR(CheckArtifacts());
    RK_RETURN_IF_ERROR(CheckEvents(/*published_by_step=*/false));
    return CheckContexts(/*shared=*/true, record_.input_artifact);
  }

  absl::Status CheckBatch(VerifyCounts* counts) {
    RK_RETURN_IF_ERROR(
        Settle(!artifacts_.empty(), HasAllArtifacts(), &record_.known, counts));
    if (artifacts_.empty()) return absl::OkStatus();
    RK_RETURN_IF_ERROR(CheckIds());
    SettleUpdate(counts);
    return CheckArtifacts();
  }

  // An update that was not answered took place, or did not.
  void SettleUpdate(VerifyCounts* counts) {
    if (!record_.update_unknown) return;
    record_.update_unknown = false;
    const bool updated = MessageDifferencer::Equals(
        MakeArtifact(operation_, 0, record_.version + 1),
        Content(artifacts_[0]));
    if (updated) ++record_.version;
    ++(updated ? counts->found_stored : counts->found_absent);
  }

  absl::Status CheckStep(VerifyCounts* counts) {
    RK_RETURN_IF_ERROR(Settle(execution_ != nullptr, execution_ != nullptr,
                              &record_.known, counts));
    const bool complete = execution_ != nullptr &&
                          execution_->last_known_state() == Execution::COMPLETE;
    RK_RETURN_IF_ERROR(Settle(complete || !artifacts_.empty(),
                              complete && HasAllArtifacts(), &record_.published,
                              counts));
    if (execution_ == nullptr) return absl::OkStatus();
    RK_RETURN_IF_ERROR(CheckContexts(/*shared=*/false, std::nullopt));
    if (!complete) return CheckId(record_.execution_id, execution_->id());
    RK_RETURN_IF_ERROR(CheckIds());
    RK_RETURN_IF_ERROR(CheckArtifacts());
    return CheckEvents(/*published_by_step=*/true);
  }

  absl::Status CheckId(int64_t& known, int64_t stored) {
    if (known == 0) known = stored;
    if (known == stored) return absl::OkStatus();
    return Wrong(record_, absl::StrCat("has id ", stored, ", was ", known));
  }

  // The ids that were answered; where there was no answer, takes those found.
  absl::Status CheckIds() {
    if (execution_ != nullptr) {
      RK_RETURN_IF_ERROR(CheckId(record_.execution_id, execution_->id()));
    }
    record_.artifact_ids.resize(artifacts_.size());
    for (size_t i = 0; i < artifacts_.size(); ++i) {
      RK_RETURN_IF_ERROR(CheckId(record_.artifact_ids[i], artifacts_[i].id()));
    }
    return absl::OkStatus();
  }

  absl::Status CheckArtifacts() {
    for (int i = 0; i < operation_.artifacts(); ++i) {
      const int version = i == 0 ? record_.version : 0;
      RK_RETURN_IF_ERROR(ExpectSame(record_,
                                    MakeArtifact(operation_, i, version),
                                    Content(artifacts_[i])));
    }
    return absl::OkStatus();
  }

  // A step's events have the time of their publication.
  absl::Status CheckEvents(bool published_by_step) {
    std::vector<Event> expected;
    for (int i = 0; i < operation_.artifacts(); ++i) {
      expected.push_back(MakeOutputEvent(i));
      expected.back().set_artifact_id(artifacts_[i].id());
    }
    if (record_.input_artifact.has_value()) {
      expected.push_back(MakeInputEvent(*record_.input_artifact));
    }
    const auto found = stored_.events.find(execution_->id());
    std::vector<Event> events =
        found == stored_.events.end() ? std::vector<Event>() : found->second;
    if (events.size() != expected.size()) {
      return Wrong(record_, absl::StrCat("has ", events.size(), " events, not ",
                                         expected.size()));
    }
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
      return std::pair(a.type(), a.artifact_id()) >
             std::pair(b.type(), b.artifact_id());
    });
    std::sort(expected.begin(), expected.end(),
              [](const auto& a, const auto& b) {
                return std::pair(a.type(), a.artifact_id()) >
                       std::pair(b.type(), b.artifact_id());
              });
    for (size_t i = 0; i < events.size(); ++i) {
      expected[i].set_execution_id(execution_->id());
      if (published_by_step) {
        expected[i].clear_milliseconds_since_epoch();
        events[i].clear_milliseconds_since_epoch();
      }
      RK_RETURN_IF_ERROR(ExpectSame(record_, expected[i], events[i]));
    }
    return absl::OkStatus();
  }

  // The execution, its artifacts and its input belong to its contexts.
  absl::Status CheckContexts(bool shared, std::optional<int64_t> input) {
    ml_metadata::GetContextsByExecutionRequest of_execution;
    of_execution.set_execution_id(execution_->id());
    RK_ASSIGN_OR_RETURN(const auto own,
                        store_.GetContextsByExecution(of_execution));
    const std::set<int64_t> contexts = IdsOf(own.contexts());
    if (contexts.size() != (shared ? 2 : 1)) {
      return Wrong(record_, absl::StrCat("its execution is in ",
                                         contexts.size(), " contexts"));
    }
    std::vector<int64_t> artifacts;
    for (const Artifact& artifact : artifacts_) {
      artifacts.push_back(artifact.id());
    }
    if (input.has_value()) artifacts.push_back(*input);
    for (const int64_t artifact : artifacts) {
      ml_metadata::GetContextsByArtifactRequest of_artifact;
      of_artifact.set_artifact_id(artifact);
      RK_ASSIGN_OR_RETURN(const auto all,
                          store_.GetContextsByArtifact(of_artifact));
      const std::set<int64_t> ids = IdsOf(all.contexts());
      if (!std::includes(ids.begin(), ids.end(), contexts.begin(),
                         contexts.end())) {
        return Wrong(record_, absl::StrCat("artifact ", artifact,
                                           " is not in all its contexts"));
      }
    }
    return absl::OkStatus();
  }

  const MetadataStore& store_;
  const Stored& stored_;
  Record& record_;
  const Operation& operation_;
  std::vector<Artifact> artifacts_;  // those that are stored, in order
  const Execution* execution_ = nullptr;
  const Context* context_ = nullptr;
};

}  // namespace

VerifyCounts& VerifyCounts::operator+=(const VerifyCounts& other) {
  verified += other.verified;
  found_stored += other.found_stored;
  found_absent += other.found_absent;
  return *this;
}

absl::Status Verify(const MetadataStore& store,
                    absl::Span<Record* const> records, VerifyCounts* counts) {
  for (size_t at = 0; at < records.size(); at += kAtOnce) {
    const absl::Span<Record* const> some = records.subspan(at, kAtOnce);
    RK_ASSIGN_OR_RETURN(const Stored stored, Load(store, some));
    for (Record* record : some) {
      RK_RETURN_IF_ERROR(RecordCheck(store, stored, *record).Run(counts));
    }
  }
  return absl::OkStatus();
}

}  // namespace rekindle::soak
