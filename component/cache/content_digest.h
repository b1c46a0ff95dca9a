#ifndef REKINDLE_COMPONENT_CACHE_CONTENT_DIGEST_H_
#define REKINDLE_COMPONENT_CACHE_CONTENT_DIGEST_H_

#include <string>
#include <vector>

#include "component/cache/cache_fields.h"

namespace rekindle {

// What files hold, as values of cache fields: "sha256:<hex>", equal exactly
// when the contents are. What cannot be read is like nothing seen before, each
// time anew: a step that depends on it never finds its outputs in the cache.

// Files and folders, in this order; their own names do not count.
std::string ContentDigest(const std::vector<std::string>& paths);

// A file of code. One in Python counts with all the .py files beside it, which
// it may import.
std::string CodeDigest(const std::string& path);

// The program that `name` starts: a path, or found in PATH.
std::string ProgramDigest(const std::string& name);

// Fields of a command: `code.program`, and `code.argument.N` for each argument
// that names a file, as the script of an interpreter does.
CacheFields CommandFields(const std::vector<std::string>& argv);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CACHE_CONTENT_DIGEST_H_
