#ifndef REKINDLE_BASE_STATUS_MACROS_H_
#define REKINDLE_BASE_STATUS_MACROS_H_

// Early return on error, for functions that return absl::Status or
// absl::StatusOr<T>. Macros only: this header includes no absl, so that both
// Debian's and TensorFlow's side use it, each with its own absl.

// Returns from the enclosing function if `expr`, an absl::Status, is an error.
#define RK_RETURN_IF_ERROR(expr)                                 \
  do {                                                           \
    if (auto rk_status = (expr); !rk_status.ok()) [[unlikely]] { \
      return rk_status;                                          \
    }                                                            \
  } while (false)

// Evaluates `expr`, an absl::StatusOr<T>; returns its status on error, else
// moves its value into `lhs`, which may be a declaration:
//
//   RK_ASSIGN_OR_RETURN(const Artifact model, store.GetArtifact(id));
#define RK_ASSIGN_OR_RETURN(lhs, ...) \
  RK_ASSIGN_OR_RETURN_IMPL(RK_CONCAT(rk_status_or_, __LINE__), lhs, __VA_ARGS__)

#define RK_ASSIGN_OR_RETURN_IMPL(result, lhs, ...) \
  auto result = (__VA_ARGS__);                     \
  if (!(result).ok()) [[unlikely]] {               \
    return std::move(result).status();             \
  }                                                \
  lhs = *std::move(result)

#define RK_CONCAT_INNER(a, b) a##b
#define RK_CONCAT(a, b) RK_CONCAT_INNER(a, b)

#endif  // REKINDLE_BASE_STATUS_MACROS_H_
