// Internal to component/contract.
#ifndef REKINDLE_COMPONENT_CONTRACT_JSON_FIELDS_H_
#define REKINDLE_COMPONENT_CONTRACT_JSON_FIELDS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// Reads the keys of one JSON object strictly: every key read must be there and
// have its type, and every key there must have been read. A key that holds an
// std::optional may be absent or null. The first error wins and is what Finish
// returns; reads after it do nothing. Thread-compatible.
//
//   JsonFields fields(json, "executor input");
//   fields.Read("run_id", &input.run_id);
//   return fields.Finish();
class JsonFields {
 public:
  // Reads a nested value; its error is reported with the key in front.
  using Parser = std::function<absl::Status(const nlohmann::json&)>;

  // `json` is not owned and must outlive the reader; `what` names it in errors.
  JsonFields(const nlohmann::json& json, absl::string_view what);

  void Read(absl::string_view key, std::string* value);
  void Read(absl::string_view key, int64_t* value);
  void Read(absl::string_view key, bool* value);
  void Read(absl::string_view key, std::optional<int64_t>* value);
  void Read(absl::string_view key, std::vector<std::string>* value);
  void Read(absl::string_view key, std::map<std::string, std::string>* value);
  // Numbers, and "NaN", "Infinity", "-Infinity" for what JSON cannot write.
  void Read(absl::string_view key, std::map<std::string, double>* value);
  // An object or null, taken as it is.
  void ReadObject(absl::string_view key, nlohmann::json* value);
  // Absent and null leave the caller's value as it is.
  void ReadOptional(absl::string_view key, const Parser& parser);
  // A list whose every element goes through `parser`.
  void ReadList(absl::string_view key, const Parser& parser);

  // The first error, or INVALID_ARGUMENT for the first key nobody read.
  absl::Status Finish();

 private:
  // The value of `key`, or null when there is none or an error came first.
  const nlohmann::json* Find(absl::string_view key);
  const nlohmann::json* Require(absl::string_view key);
  const nlohmann::json* RequireMap(absl::string_view key);
  void Fail(absl::string_view key, absl::string_view expected);

  const nlohmann::json& json_;
  const std::string what_;
  std::set<std::string, std::less<>> read_;
  absl::Status status_;
};

// `value` as JSON, with strings for what JSON numbers cannot hold.
nlohmann::json NumberToJson(double value);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_JSON_FIELDS_H_
