#include "operator/expression/functions/functions.h"

#include <limits>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "operator/expression/functions/function_table.h"

namespace rekindle::argo {
namespace {

const FunctionTable& Table() {
  static const auto* const kTable = [] {
    auto* table = new FunctionTable;
    AddTextFunctions(table);
    AddNumberFunctions(table);
    AddListFunctions(table);
    AddTimeFunctions(table);
    AddJsonFunctions(table);
    AddSprigTextFunctions(table);
    AddSprigDataFunctions(table);
    return table;
  }();
  return *kTable;
}

// The fewest and the most arguments of those that take a predicate.
const std::map<std::string, std::pair<size_t, size_t>>& PredicateFunctions() {
  static const auto* const kTable =
      new std::map<std::string, std::pair<size_t, size_t>>{
          {"all", {2, 2}},      {"none", {2, 2}},
          {"any", {2, 2}},      {"one", {2, 2}},
          {"filter", {2, 2}},   {"map", {2, 2}},
          {"find", {2, 2}},     {"findIndex", {2, 2}},
          {"findLast", {2, 2}}, {"findLastIndex", {2, 2}},
          {"count", {1, 2}},    {"sum", {1, 2}},
          {"groupBy", {2, 2}},  {"sortBy", {2, 3}},
          {"reduce", {2, 3}}};
  return *kTable;
}

bool Fits(const Value& value, char kind) {
  switch (kind) {
    case 's':
      return value.as_string() != nullptr;
    case 'i':
      return value.as_int() != nullptr;
    case 'n':
      return value.is_number();
    case 'l':
      return value.as_list() != nullptr;
    case 'm':
      return value.as_map() != nullptr;
    case 't':
      return value.as_time() != nullptr;
    case 'd':
      return value.as_duration() != nullptr;
    default:
      return true;
  }
}

const char* KindOf(char letter) {
  switch (letter) {
    case 's':
      return "a string";
    case 'i':
      return "a whole number";
    case 'n':
      return "a number";
    case 'l':
      return "an array";
    case 'm':
      return "a map";
    case 't':
      return "a time";
    default:
      return "a duration";
  }
}

}  // namespace

bool TakesPredicate(const std::string& name) {
  return PredicateFunctions().contains(name);
}

bool IsFunction(const std::string& name) {
  return TakesPredicate(name) || Table().contains(name);
}

std::vector<std::string> FunctionNames() {
  std::vector<std::string> names;
  for (const auto& [name, function] : Table()) names.push_back(name);
  for (const auto& [name, counts] : PredicateFunctions()) names.push_back(name);
  return names;
}

std::pair<size_t, size_t> ArgumentCount(const std::string& name) {
  if (const auto found = PredicateFunctions().find(name);
      found != PredicateFunctions().end()) {
    return found->second;
  }
  size_t least = 0;
  size_t most = 0;
  bool required = true;
  for (const char letter : Table().at(name).signature) {
    if (letter == '?') {
      required = false;
    } else if (letter == '*') {
      return {least, std::numeric_limits<size_t>::max()};
    } else {
      ++most;
      if (required) ++least;
    }
  }
  return {least, most};
}

absl::StatusOr<Value> CallFunction(const std::string& name,
                                   const Value::List& arguments) {
  const Function& function = Table().at(name);
  char letter = 'a';
  size_t at = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (at < function.signature.size() && function.signature[at] == '?') ++at;
    if (at < function.signature.size() && function.signature[at] != '*') {
      letter = function.signature[at++];
    }
    if (!Fits(arguments[i], letter)) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i + 1, " of '", name, "' must be ",
                       KindOf(letter), ", not ", arguments[i].kind()));
    }
  }
  return function.call(arguments);
}

}  // namespace rekindle::argo
