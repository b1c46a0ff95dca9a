#ifndef REKINDLE_COMPONENT_TASKS_TABULAR_EXPERIMENTS_H_
#define REKINDLE_COMPONENT_TASKS_TABULAR_EXPERIMENTS_H_

namespace rekindle {

// Registers the tabular tasks and their experiments: tabular/classification,
// tabular/regression, and penguin/local, which brings its own data. Once;
// later calls do nothing. Thread-safe.
void RegisterTabularExperiments();

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_TABULAR_EXPERIMENTS_H_
