#ifndef REKINDLE_METADATA_SQLITE_SQL_FRAGMENT_H_
#define REKINDLE_METADATA_SQLITE_SQL_FRAGMENT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "metadata/sqlite/statement.h"

namespace rekindle {

using SqlValue = std::variant<int64_t, double, std::string>;

// A piece of SQL with the values of its parameters: however a query is put
// together, what a user wrote is never part of the text.
class SqlFragment {
 public:
  SqlFragment() = default;
  explicit SqlFragment(absl::string_view text) : text_(text) {}

  SqlFragment& Add(absl::string_view text) {
    text_.append(text.data(), text.size());
    return *this;
  }
  SqlFragment& AddValue(SqlValue value) {
    text_.append("?");
    values_.push_back(std::move(value));
    return *this;
  }
  SqlFragment& Add(const SqlFragment& other) {
    text_.append(other.text_);
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
    return *this;
  }

  const std::string& text() const { return text_; }

  void BindTo(Statement& statement) const {
    for (const SqlValue& value : values_) {
      std::visit([&](const auto& v) { statement.Bind(v); }, value);
    }
  }

 private:
  std::string text_;
  std::vector<SqlValue> values_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_SQL_FRAGMENT_H_
