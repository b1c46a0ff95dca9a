#include "tests/soak/writer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/api/open_store.h"
#include "rekindle/v1/step_service.pb.h"
#include "tests/soak/claims.h"
#include "tests/soak/operation.h"
#include "tests/soak/record.h"
#include "tests/soak/verifier.h"

namespace rekindle::soak {
namespace {

constexpr int kContendedSteps = 4;
// Tokens must grow over restarts too.
constexpr int kRoundsPerStep = 4;
constexpr int kOlderToVerify = 20;
constexpr int64_t kLongLeaseMillis = 600'000;

}  // namespace

WriteCounts& WriteCounts::operator+=(const WriteCounts& other) {
  acknowledged += other.acknowledged;
  unanswered += other.unanswered;
  refused_claims += other.refused_claims;
  return *this;
}

Writer::Writer(uint64_t seed, int index, const TypeIds& types, Claims& claims)
    : seed_(seed),
      index_(index),
      types_(types),
      claims_(claims),
      chance_(seed + static_cast<uint64_t>(index)) {}

// Makes a call and notes in `known` what its answer, or the lack of one, says.
template <typename Call>
auto Writer::Counted(Known* known, const Call& call) {
  *known = Known::kUnknown;
  auto answer = call();
  if (answer.ok()) {
    *known = Known::kStored;
    ++write_counts_.acknowledged;
  } else if (absl::IsUnavailable(answer.status())) {
    ++write_counts_.unanswered;
  } else {
    *known = Known::kAbsent;
  }
  return answer;
}

absl::Status Writer::WriteUntilGone(Store& store, int round) {
  while (true) {
    const absl::Status written = WriteOne(store, round);
    if (absl::IsUnavailable(written)) return absl::OkStatus();
    RK_RETURN_IF_ERROR(written);
  }
}

absl::Status Writer::WriteOne(Store& store, int round) {
  const int choice = RandomBelow(8);
  if (choice == 0) return Contend(store, round);
  if (choice == 1 && !batches_.empty()) return UpdateBatch(store);
  const int number = static_cast<int>(records_.size());
  Record& record = records_.emplace_back();
  record.operation = {seed_, index_, number};
  unverified_.insert(number);
  switch (record.operation.kind()) {
    case Operation::Kind::kExecution:
      RK_RETURN_IF_ERROR(Execute(store, record));
      break;
    case Operation::Kind::kBatch:
      RK_RETURN_IF_ERROR(PutBatch(store, record));
      break;
    case Operation::Kind::kStep:
      RK_RETURN_IF_ERROR(RunStep(store, record));
      break;
  }
  // What was acknowledged can be read at once.
  if (choice != 2) return absl::OkStatus();
  return Verify(store.metadata(), {&record}, &verify_counts_);
}

absl::Status Writer::Execute(Store& store, Record& record) {
  if (!batches_.empty() && RandomBelow(2) == 0) {
    const int read = batches_[RandomBelow(batches_.size())];
    record.input_artifact = records_[read].artifact_ids.back();
  }
  const auto request =
      MakePutExecution(record.operation, types_, record.input_artifact);
  RK_ASSIGN_OR_RETURN(const auto answer, Counted(&record.known, [&] {
                        return store.metadata().PutExecution(request);
                      }));
  record.execution_id = answer.execution_id();
  record.artifact_ids.assign(
      answer.artifact_ids().begin(),
      answer.artifact_ids().begin() + record.operation.artifacts());
  return absl::OkStatus();
}

absl::Status Writer::PutBatch(Store& store, Record& record) {
  const auto request = MakePutArtifacts(record.operation, types_);
  RK_ASSIGN_OR_RETURN(const auto answer, Counted(&record.known, [&] {
                        return store.metadata().PutArtifacts(request);
                      }));
  record.artifact_ids.assign(answer.artifact_ids().begin(),
                             answer.artifact_ids().end());
  batches_.push_back(record.operation.number);
  return absl::OkStatus();
}

absl::Status Writer::UpdateBatch(Store& store) {
  const int number = batches_[RandomBelow(batches_.size())];
  Record& record = records_[number];
  unverified_.insert(number);
  const auto request = MakeUpdate(record.operation, types_,
                                  record.artifact_ids[0], record.version + 1);
  Known updated = Known::kUnknown;
  absl::Status put = Counted(&updated, [&] {
                       return store.metadata().PutArtifacts(request);
                     }).status();
  if (put.ok()) ++record.version;
  record.update_unknown = updated == Known::kUnknown;
  return put;
}

absl::Status Writer::RunStep(Store& store, Record& record) {
  const std::string name = record.operation.name();
  const int64_t highest = claims_.Highest(name);
  RK_ASSIGN_OR_RETURN(
      const v1::ClaimResponse claim, Counted(&record.known, [&] {
        return store.steps().Claim(MakeClaim(name, kLongLeaseMillis));
      }));
  record.execution_id = claim.execution_id();
  RK_RETURN_IF_ERROR(claims_.Granted(name, claim.token(), highest));
  Known prepared = Known::kUnknown;
  RK_RETURN_IF_ERROR(Counted(&prepared, [&] {
                       return store.steps().PreparePublish(
                           MakePrepare(record.operation, claim));
                     }).status());
  RK_ASSIGN_OR_RETURN(
      const v1::PublishResponse published, Counted(&record.published, [&] {
        return store.steps().Publish(MakePublish(record.operation, claim));
      }));
  record.artifact_ids.assign(published.artifact_ids().begin(),
                             published.artifact_ids().end());
  return absl::OkStatus();
}

// Claims a step that others claim too, with a lease that soon ends, and tries
// to keep it.
absl::Status Writer::Contend(Store& store, int round) {
  const std::string step = absl::StrCat("contended/", round / kRoundsPerStep,
                                        "/", RandomBelow(kContendedSteps));
  const int64_t lease_millis = 1 + RandomBelow(20);
  const int64_t highest = claims_.Highest(step);
  Known known = Known::kUnknown;
  const absl::StatusOr<v1::ClaimResponse> claim = Counted(&known, [&] {
    return store.steps().Claim(MakeClaim(step, lease_millis));
  });
  if (absl::IsFailedPrecondition(claim.status())) {
    ++write_counts_.refused_claims;
    return absl::OkStatus();
  }
  RK_RETURN_IF_ERROR(claim.status());
  RK_RETURN_IF_ERROR(claims_.Granted(step, claim->token(), highest));

  v1::RenewRequest renew;
  renew.set_execution_id(claim->execution_id());
  renew.set_token(claim->token());
  renew.set_lease_millis(lease_millis);
  const int64_t highest_before_renewal = claims_.Highest(step);
  absl::Status renewed =
      Counted(&known, [&] { return store.steps().Renew(renew); }).status();
  if (absl::IsAborted(renewed)) return absl::OkStatus();
  if (renewed.ok() && highest_before_renewal > claim->token()) {
    return absl::DataLossError(absl::StrCat(
        "step ", step, ": token ", claim->token(), " was renewed after token ",
        highest_before_renewal, " was granted"));
  }
  return renewed;
}

absl::Status Writer::VerifyRecent(Store& store) {
  for (int i = 0; i < kOlderToVerify && !records_.empty(); ++i) {
    unverified_.insert(RandomBelow(records_.size()));
  }
  std::vector<Record*> records;
  for (const int number : unverified_) records.push_back(&records_[number]);
  RK_RETURN_IF_ERROR(Verify(store.metadata(), records, &verify_counts_));
  unverified_.clear();
  return absl::OkStatus();
}

absl::Status Writer::VerifyAll(Store& store) {
  std::vector<Record*> records;
  for (Record& record : records_) records.push_back(&record);
  RK_RETURN_IF_ERROR(Verify(store.metadata(), records, &verify_counts_));
  unverified_.clear();
  return absl::OkStatus();
}

}  // namespace rekindle::soak
