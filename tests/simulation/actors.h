#ifndef REKINDLE_TESTS_SIMULATION_ACTORS_H_
#define REKINDLE_TESTS_SIMULATION_ACTORS_H_

#include <string>

#include "tests/simulation/world.h"

namespace rekindle::simulation {

// Those who share a world. Each is the body of a process.

// Somebody who runs a step and, when it was killed or failed, runs it again:
// mostly with the same arguments.
void RunStep(World& world, int store, std::string pipeline, std::string run);

// Publishes a dataset, which is the latest from then on.
void PublishDataset(World& world, int store);
// Replaces the file that steps read beside their inputs.
void ReplaceWatched(World& world);
// Tidies up behind steps that vanished.
void TidyUp(World& world, int store);
// Deletes an execution, or an artifact, from the store.
void DeleteRecord(World& world, int store);
// Takes an artifact out of use: its record says so, then its files go.
void RetireArtifact(World& world, int store);
// Reads an artifact and writes it back if nobody else has meanwhile, and
// somebody does.
void Annotate(World& world, int store);
// Sets the clock forth or back.
void SetClock(World& world);

}  // namespace rekindle::simulation

#endif  // REKINDLE_TESTS_SIMULATION_ACTORS_H_
