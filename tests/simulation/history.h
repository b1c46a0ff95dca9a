#ifndef REKINDLE_TESTS_SIMULATION_HISTORY_H_
#define REKINDLE_TESTS_SIMULATION_HISTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/choices.h"
#include "tests/simulation/world.h"

namespace rekindle::simulation {

// What came of a history.
struct Outcome {
  std::string failure;  // which promise was broken, and how; empty if none
  std::vector<std::string> events;  // if traced
};

// Runs the history that the choices make, in a world of its own below `folder`.
Outcome RunHistory(Choices& choices, World::Stores& stores,
                   const std::string& folder, Totals& totals, bool traced);

// Fewer and duller choices that break the same promise.
std::vector<uint16_t> Shrink(std::vector<uint16_t> choices,
                             const std::string& failure, World::Stores& stores,
                             const std::string& folder);

}  // namespace rekindle::simulation

#endif  // REKINDLE_TESTS_SIMULATION_HISTORY_H_
