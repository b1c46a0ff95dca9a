#include "component/launch/secret_mask.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "component/launch/failure.h"

namespace rekindle {
namespace {

TEST(SecretMaskTest, ASecretIsMaskedWhereverItStands) {
  const SecretMask mask({"hunter2", "hunter2-and-more"});
  EXPECT_EQ(mask.Mask("hunter2 hunter2-and-more xhunter2x"), "*** *** x***x");
  EXPECT_EQ(mask.Mask("nothing"), "nothing");
}

TEST(SecretMaskTest, EachLineOfASecretIsMaskedAndShortOnesAreNot) {
  const SecretMask mask({"-----BEGIN KEY-----\r\nMIIabc\n\nab\n"});
  EXPECT_EQ(mask.Mask("key MIIabc of -----BEGIN KEY----- ab"),
            "key *** of *** ab");
  EXPECT_EQ(SecretMask({""}).Mask("text"), "text");
}

TEST(SecretMaskTest, AStatusKeepsItsCodeAndReason) {
  const absl::Status status =
      SecretMask({"hunter2"})
          .Mask(WithReason(FailureReason::kExecutorError,
                           absl::UnavailableError("login as hunter2 failed")));
  EXPECT_EQ(status.message(), "login as *** failed");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ReasonOf(status), FailureReason::kExecutorError);
}

}  // namespace
}  // namespace rekindle
