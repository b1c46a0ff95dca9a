#ifndef REKINDLE_COMPONENT_TRAINING_MODULE_RUN_H_
#define REKINDLE_COMPONENT_TRAINING_MODULE_RUN_H_

#include <functional>

#include "absl/status/status.h"
#include "component/contract/executor_input.h"
#include "component/contract/executor_output.h"
#include "component/modules/module_loader.h"

namespace rekindle {

// Trains by a module's run_fn, and tries the model that it left as a server
// would use it. `stop_signal` gives the signal that asked to stop, 0 for none;
// `output` gets what is known, without `error` itself.
//
//   UNKNOWN      run_fn failed; UNAVAILABLE if it said so
//   NOT_FOUND    run_fn left no model
//   DATA_LOSS    the model cannot be served
//   CANCELLED    asked to stop
absl::Status RunModule(const Module& module, const ExecutorInput& input,
                       const std::function<int()>& stop_signal,
                       ExecutorOutput* output);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_MODULE_RUN_H_
