#ifndef REKINDLE_COMPONENT_LAUNCH_DRIVER_H_
#define REKINDLE_COMPONENT_LAUNCH_DRIVER_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "component/cache/cache_fields.h"
#include "component/launch/step.h"
#include "component/resolve/resolver.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {

// What happens before a step's execution exists. Nothing here writes.

// Refuses a run id that another pipeline has used: the two runs would become
// one in the store.
//
//   ALREADY_EXISTS  the run belongs to another pipeline
absl::Status CheckRunIsOurs(const StepSpec& spec, const MetadataStore& store);

// Looks for every input of the step, by key. What an interrupted attempt of the
// same execution read is read again, as long as it is asked for by the same
// reference and can still be used: a retry after a lost node goes on with its
// checkpoints although `latest` has moved. An attempt that failed by itself is
// no reason to keep its inputs. An error is one of the store.
absl::StatusOr<ResolvedInputs> ResolveInputs(const StepSpec& spec,
                                             const MetadataStore& store);

// Whether the step can work with what was found, the reason attached:
//
//   NOT_FOUND            a required input has no usable artifact, or a named
//                        one is not recorded
//   FAILED_PRECONDITION  a named artifact cannot be used
absl::Status CheckInputs(const StepSpec& spec, const ResolvedInputs& inputs);

// Whether the files of artifacts that somebody else chose for the step, by key,
// can be used as if it had chosen them itself:
//
//   FAILED_PRECONDITION  they are not where the step takes artifacts from, or
//                        not what was published
absl::Status CheckFilesOf(
    const StepSpec& spec,
    const std::map<std::string, std::vector<ml_metadata::Artifact>>& inputs);

// What the step's outputs depend on (docs/cache.md): pipeline and node, as in
// TFX, the component, its parameters and outputs, what the step itself names,
// and the contents of its inputs, but for those ignored.
CacheFields DescribeWork(const StepSpec& spec, const ResolvedInputs& inputs,
                         const std::set<std::string>& ignored_inputs);

// Whether outputs of an earlier execution can stand for this step's. A step
// without outputs is run for what it does, one that always runs says so, and
// one with external outputs decides itself what is new.
bool CanBeCached(const StepSpec& spec);

// The claim of this step, with the contexts that TFX puts a node's execution
// into: pipeline, pipeline_run, node and, if its inputs are known and so its
// work is, and it can be cached, execution_cache.
rekindle::v1::ClaimRequest MakeClaimRequest(
    const StepSpec& spec, const ResolvedInputs& inputs,
    const std::optional<CacheFields>& work, const std::string& owner,
    absl::Duration lease);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_DRIVER_H_
