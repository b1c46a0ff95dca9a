// Internal to operator/expression/functions.
#ifndef REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_FUNCTION_TABLE_H_
#define REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_FUNCTION_TABLE_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "operator/expression/value.h"

namespace rekindle::argo {

// One function. `signature` has a letter per argument: s string, i whole
// number, n number, l list, m map, t time, d duration, a anything; those behind
// '?' may be left out, '*' repeats the last one any number of times.
struct Function {
  std::string signature;
  std::function<absl::StatusOr<Value>(const Value::List& arguments)> call;
};
using FunctionTable = std::map<std::string, Function>;

// Each adds a group of them, which is in the file of its name.
void AddTextFunctions(FunctionTable* table);
void AddNumberFunctions(FunctionTable* table);
void AddListFunctions(FunctionTable* table);
void AddTimeFunctions(FunctionTable* table);
void AddJsonFunctions(FunctionTable* table);
void AddSprigTextFunctions(FunctionTable* table);
void AddSprigDataFunctions(FunctionTable* table);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_FUNCTION_TABLE_H_
