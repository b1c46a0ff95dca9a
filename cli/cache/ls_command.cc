#include <iostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "cli/cache/cache_entries.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/store_command.h"
#include "cli/output.h"
#include "cli/store_flags.h"
#include "metadata/api/open_store.h"

namespace rekindle {

int CacheLsCommand(const Arguments& arguments) {
  StoreFlags store;
  EntryFilter filter;
  std::string format;
  FlagSet flags("cache ls [flags]",
                "Lists what steps have computed and others may reuse: one line "
                "for each execution that\ncomputed, with how often it was "
                "reused, and whether it still can be.",
                "rekindle cache ls --pipeline=penguin --node=Trainer");
  filter.Bind(flags);
  flags.Format(kOutputFormats, &format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {},
       [&](Store& opened,
           const std::vector<std::string>&) -> absl::StatusOr<int> {
         const absl::Time now = absl::Now();
         RK_ASSIGN_OR_RETURN(const std::vector<ListedEntry> entries,
                             ListCacheEntries(filter, now, opened.metadata()));
         std::cout << (format == "table"
                           ? EntriesToTable(entries, now)
                           : Render(EntriesToJson(entries, now), format));
         return kOk;
       }},
      arguments);
}

}  // namespace rekindle
