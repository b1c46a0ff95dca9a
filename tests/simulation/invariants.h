#ifndef REKINDLE_TESTS_SIMULATION_INVARIANTS_H_
#define REKINDLE_TESTS_SIMULATION_INVARIANTS_H_

#include "tests/simulation/world.h"

namespace rekindle::simulation {

// Compares what the stores say with what is there, and with what steps were
// told, and has the world fail if a promise of docs/life-of-a-step.md is not
// kept. Nobody may be running.
void CheckPromises(World& world);

}  // namespace rekindle::simulation

#endif  // REKINDLE_TESTS_SIMULATION_INVARIANTS_H_
