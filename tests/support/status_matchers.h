#ifndef REKINDLE_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define REKINDLE_TESTS_SUPPORT_STATUS_MATCHERS_H_

#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Matchers for absl::Status and absl::StatusOr<T> that print what they got.
//
//   EXPECT_THAT(store.PutEvents(request), IsOk());
//   EXPECT_THAT(store.PutEvents(request),
//               StatusIs(absl::StatusCode::kNotFound, HasSubstr("artifact
//               7")));
//   RK_ASSERT_OK_AND_ASSIGN(const auto response, store.PutEvents(request));

namespace absl {
ABSL_NAMESPACE_BEGIN

template <typename T>
void PrintTo(const StatusOr<T>& result, std::ostream* os) {
  *os << result.status();
}

ABSL_NAMESPACE_END
}  // namespace absl

namespace rekindle {

// Only for matchers, whose argument outlives the call.
inline const absl::Status& StatusOf(const absl::Status& status) {
  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter)
  return status;
}
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, negation ? "is an error" : "is OK") {
  *result_listener << StatusOf(arg);
  return StatusOf(arg).ok();
}

MATCHER_P2(StatusIs, code, message,
           absl::StrCat("has code ", absl::StatusCodeToString(code),
                        " and a message that ",
                        ::testing::DescribeMatcher<std::string>(message))) {
  *result_listener << StatusOf(arg);
  return StatusOf(arg).code() == code &&
         ::testing::Matches(message)(std::string(StatusOf(arg).message()));
}

inline auto StatusIs(absl::StatusCode code) {
  return StatusIs(code, ::testing::A<std::string>());
}

}  // namespace rekindle

// Moves the value of `expr`, an absl::StatusOr<T>, into `lhs`; a fatal failure
// of the test if it is an error.
#define RK_ASSERT_OK_AND_ASSIGN(lhs, ...)                                 \
  RK_ASSERT_OK_AND_ASSIGN_IMPL(RK_TEST_CONCAT(rk_result_, __LINE__), lhs, \
                               __VA_ARGS__)
#define RK_ASSERT_OK_AND_ASSIGN_IMPL(result, lhs, ...) \
  auto result = (__VA_ARGS__);                         \
  ASSERT_TRUE((result).ok()) << (result).status();     \
  lhs = *std::move(result)
#define RK_TEST_CONCAT_INNER(a, b) a##b
#define RK_TEST_CONCAT(a, b) RK_TEST_CONCAT_INNER(a, b)

#endif  // REKINDLE_TESTS_SUPPORT_STATUS_MATCHERS_H_
