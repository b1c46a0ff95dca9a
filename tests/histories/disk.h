#ifndef REKINDLE_TESTS_HISTORIES_DISK_H_
#define REKINDLE_TESTS_HISTORIES_DISK_H_

#include <cstdint>
#include <string>

#include "tests/histories/journal.h"
#include "tests/histories/world.h"

namespace rekindle::histories {

// Writes to `path`, and beside it, what a disk may hold when the power goes
// after the records before `cut`: everything that was synced, and of the rest
// whatever chance says, torn at sectors of 512 bytes. The history began with
// the database `first`, and without a log.
void WriteWhatSurvives(const Journal& journal, uint64_t cut,
                       const std::string& first, Chance& chance,
                       const std::string& path);

}  // namespace rekindle::histories

#endif  // REKINDLE_TESTS_HISTORIES_DISK_H_
