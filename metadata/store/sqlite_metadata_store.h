// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_SQLITE_METADATA_STORE_H_
#define REKINDLE_METADATA_STORE_SQLITE_METADATA_STORE_H_

#include "base/clock.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/rpc_list.h"
#include "metadata/store/transactor.h"

namespace rekindle {

// The catalogue in a SQLite database. The calls are defined in put_calls.cc,
// get_type_calls.cc, get_node_calls.cc and lineage_calls.cc. Thread-safe.
class SqliteMetadataStore : public MetadataStore {
 public:
  // `transactor` and `clock` are not owned and must outlive the store.
  SqliteMetadataStore(Transactor& transactor, const Clock& clock)
      : transactor_(transactor), clock_(clock) {}

#define RK_DECLARE(Rpc)                           \
  absl::StatusOr<ml_metadata::Rpc##Response> Rpc( \
      const ml_metadata::Rpc##Request& request) override;
  RK_FOR_EACH_WRITE_RPC(RK_DECLARE)
#undef RK_DECLARE

#define RK_DECLARE(Rpc)                           \
  absl::StatusOr<ml_metadata::Rpc##Response> Rpc( \
      const ml_metadata::Rpc##Request& request) const override;
  RK_FOR_EACH_READ_RPC(RK_DECLARE)
#undef RK_DECLARE

 private:
  Transactor& transactor_;
  const Clock& clock_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_SQLITE_METADATA_STORE_H_
