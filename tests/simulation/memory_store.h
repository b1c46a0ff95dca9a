#ifndef REKINDLE_TESTS_SIMULATION_MEMORY_STORE_H_
#define REKINDLE_TESTS_SIMULATION_MEMORY_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/api/open_store.h"
#include "metadata/sqlite/database.h"
#include "metadata/store/sqlite_maintenance_store.h"
#include "metadata/store/sqlite_metadata_store.h"
#include "metadata/store/sqlite_step_store.h"
#include "metadata/store/transactor.h"

namespace rekindle::simulation {

// The real store, in memory, that can be emptied: to open one takes longer than
// a history. What is stored gets the same ids after each Clear(): two stores
// that see the same calls give the same ids. Thread-compatible.
class MemoryStore : public Store {
 public:
  // Ids of the types that every history needs.
  struct Types {
    int64_t dataset = 0;
    int64_t import = 0;
    int64_t pipeline = 0;
  };

  MemoryStore();

  MetadataStore& metadata() override { return metadata_; }
  StepStore& steps() override { return steps_; }
  MaintenanceStore& maintenance() override { return maintenance_; }

  const Types& types() const { return types_; }

  // Forgets all but its types. From now on `clock` is its clock; not owned.
  void Clear(const Clock& clock);

 private:
  // The clock of the history that goes on.
  struct CurrentClock : Clock {
    absl::Time Now() const override { return clock->Now(); }
    const Clock* clock = &SystemClock();
  };

  void DeclareTypes();

  CurrentClock clock_;
  Transactor transactor_;
  SqliteMetadataStore metadata_;
  SqliteStepStore steps_;
  SqliteMaintenanceStore maintenance_;
  Types types_;
  std::vector<std::string> clearing_;  // in SQL
};

}  // namespace rekindle::simulation

#endif  // REKINDLE_TESTS_SIMULATION_MEMORY_STORE_H_
