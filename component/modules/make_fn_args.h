#ifndef REKINDLE_COMPONENT_MODULES_MAKE_FN_ARGS_H_
#define REKINDLE_COMPONENT_MODULES_MAKE_FN_ARGS_H_

#include <functional>

#include "component/contract/executor_input.h"
#include "rekindle/training/fn_args.h"

namespace rekindle {

// What a module's run_fn gets to do what `input` says.
FnArgs MakeFnArgs(const ExecutorInput& input,
                  std::function<bool()> should_stop);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_MODULES_MAKE_FN_ARGS_H_
