#ifndef REKINDLE_METADATA_SQLITE_BUFFERED_LOG_H_
#define REKINDLE_METADATA_SQLITE_BUFFERED_LOG_H_

namespace rekindle {

// The name of a SQLite VFS that is the default one, but for the write-ahead
// log: SQLite writes every page of a commit, and its header, by a call of its
// own; here these calls are gathered and reach the file as one.
//
// Bytes wait only while their connection holds SQLite's write lock:
//
//   - they are in the file before it is synced, read, truncated or measured,
//     and before the index shows a commit to readers, whatever `synchronous`
//     says;
//   - they are dropped when the lock is released, for what waits then belongs
//     to a transaction that was rolled back;
//   - once a gathered write has failed, every call to the log fails until the
//     lock is released, so that SQLite cannot commit what it believes to be
//     there;
//   - a commit whose frames SQLite has not given their checksums is not synced
//     but fails;
//   - a write without the lock, as of a connection in exclusive mode, goes
//     straight to the file.
//
// A log is not begun anew while anybody copies it into the database.
//
// Under the same lock the file grows ahead of the log, by zeros past its end,
// so that most commits need not wait for its length.
//
// Stacked on the VFS that is SQLite's default at the first call, which
// registers it. No other VFS may be stacked on it. Thread-safe.
const char* BufferedLogVfs();

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_BUFFERED_LOG_H_
