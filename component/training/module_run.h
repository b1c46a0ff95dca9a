#ifndef REKINDLE_COMPONENT_TRAINING_MODULE_RUN_H_
#define REKINDLE_COMPONENT_TRAINING_MODULE_RUN_H_

#include "absl/status/status.h"
#include "component/contract/executor_input.h"
#include "component/contract/executor_output.h"
#include "component/modules/module_loader.h"

namespace rekindle {

// Trains by a module's run_fn, and tries the model that it left as a server
// would use it. `output` gets what is known, without `error` itself.
//
//   NOT_FOUND  run_fn left no model
//   DATA_LOSS  the model cannot be served
//
// and what Module::RunFn returns.
absl::Status RunModule(const Module& module, const ExecutorInput& input,
                       ExecutorOutput* output);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_MODULE_RUN_H_
