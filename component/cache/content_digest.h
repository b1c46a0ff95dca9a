#ifndef REKINDLE_COMPONENT_CACHE_CONTENT_DIGEST_H_
#define REKINDLE_COMPONENT_CACHE_CONTENT_DIGEST_H_

#include <map>
#include <string>
#include <vector>

#include "component/cache/cache_fields.h"

namespace rekindle {

// Files as they were when their contents went into a key. Digests are computed
// once, and much later, when the work is done, it costs a stat to learn whether
// they still hold. Thread-compatible.
class WatchedFiles {
 public:
  // Notes the file or folder as it is now; the first note counts.
  void Add(const std::string& path);

  // The first that is no longer as it was noted; empty if all are.
  std::string FindChanged() const;

 private:
  std::map<std::string, std::string> fingerprints_;  // by path; empty: unknown
};

// What files hold, as values of cache fields: "sha256:<hex>", equal exactly
// when the contents are. What cannot be read is like nothing seen before, each
// time anew: a step that depends on it never finds its outputs in the cache.
// What is read is noted in `watched` before.

// Files and folders, in this order; their own names do not count.
std::string ContentDigest(const std::vector<std::string>& paths,
                          WatchedFiles& watched);

// A file of code. One in Python counts with all the .py files beside it, which
// it may import.
std::string CodeDigest(const std::string& path, WatchedFiles& watched);

// The program that `name` starts: a path, or found in PATH.
std::string ProgramDigest(const std::string& name, WatchedFiles& watched);

// Fields of a command: `code.program`, and `code.argument.N` for each argument
// that names a file, as the script of an interpreter does.
CacheFields CommandFields(const std::vector<std::string>& argv,
                          WatchedFiles& watched);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CACHE_CONTENT_DIGEST_H_
