#ifndef REKINDLE_METADATA_SQLITE_BUFFERED_LOG_H_
#define REKINDLE_METADATA_SQLITE_BUFFERED_LOG_H_

namespace rekindle {

// The name of a SQLite VFS that is the default one, but for the write-ahead
// log: there SQLite writes every page of a commit, and its header, by a call of
// their own; here these calls are gathered and reach the file as one, before it
// is made durable. Nothing is lost by that: until then SQLite counts on none of
// it, and tells no reader. The file also grows ahead of the log, by zeros, so
// that most commits need not wait for its length. Only for synchronous=FULL,
// where every commit is made durable.
//
// Registered by the first call. Thread-safe.
const char* BufferedLogVfs();

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_BUFFERED_LOG_H_
