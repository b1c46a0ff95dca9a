#ifndef REKINDLE_METADATA_SQLITE_STATEMENT_H_
#define REKINDLE_METADATA_SQLITE_STATEMENT_H_

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct sqlite3_stmt;

namespace rekindle {

// A prepared statement, on loan from a Database's cache and given back on
// destruction. Must not outlive the Database. Thread-compatible.
//
//   RK_ASSIGN_OR_RETURN(Statement find, db.Prepare("SELECT ... WHERE id = ?"));
//   find.Bind(id);
//   RK_ASSIGN_OR_RETURN(const bool found, find.Step());
class Statement {
 public:
  // `home`, not owned, takes the statement back.
  Statement(sqlite3_stmt* stmt, std::vector<sqlite3_stmt*>* home)
      : stmt_(stmt), home_(home) {}
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Binds the next parameters, in order: integers and enums, doubles, strings
  // of any bytes, nullptr, and optionals of these (nullopt is NULL). A failure
  // is reported by the next Step.
  template <typename... Args>
  void Bind(const Args&... args) {
    (BindOne(args), ...);
  }

  // Moves to the next row; false when there is none.
  absl::StatusOr<bool> Step();

  // Steps a statement that returns no rows.
  absl::Status Run();

  // Makes it ready for another round, with nothing bound.
  void Reset();

  // Values of the current row. Text is valid until the next Step or Reset.
  bool IsNull(int column) const;
  bool IsText(int column) const;
  int64_t Int(int column) const;
  double Double(int column) const;
  absl::string_view Text(int column) const;

 private:
  template <typename T>
  void BindOne(const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      BindInt(static_cast<int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      BindDouble(value);
    } else if constexpr (std::is_null_pointer_v<T>) {
      BindNull();
    } else {
      BindText(value);
    }
  }
  template <typename T>
  void BindOne(const std::optional<T>& value) {
    if (value.has_value()) {
      BindOne(*value);
    } else {
      BindNull();
    }
  }
  void BindInt(int64_t value);
  void BindDouble(double value);
  void BindText(absl::string_view value);
  void BindNull();
  void Note(int bind_result);

  sqlite3_stmt* stmt_;
  std::vector<sqlite3_stmt*>* home_;
  bool bind_failed_ = false;
  int next_ = 1;  // SQLite counts parameters from one.
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_STATEMENT_H_
