#ifndef REKINDLE_TESTS_OPERATOR_KUBE_TEST_CERTIFICATES_H_
#define REKINDLE_TESTS_OPERATOR_KUBE_TEST_CERTIFICATES_H_

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "tests/support/temp_dir.h"

namespace rekindle::argo {

// An authority and what it signed, made by openssl for this test alone.
class TestCertificates {
 public:
  TestCertificates() {
    Run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
        "-keyout ca.key -out ca.crt -days 2 -subj /CN=test-ca");
    Sign("server",
         "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:api.test,DNS:UP.test");
    Sign("client", "extendedKeyUsage=clientAuth");
  }

  std::string Path(const std::string& name) const {
    return JoinPath(folder_.path(), name);
  }
  std::string Pem(const std::string& name) const {
    return ReadFile(Path(name)).value();
  }

 private:
  void Sign(const std::string& name, const std::string& extension) {
    ASSERT_TRUE(WriteFileAtomically(Path(name + ".ext"), extension).ok());
    Run(
        absl::StrCat("req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
                     "-nodes -keyout ",
                     name, ".key -out ", name, ".csr -subj /CN=", name));
    Run(absl::StrCat("x509 -req -in ", name,
                     ".csr -CA ca.crt -CAkey ca.key "
                     "-CAcreateserial -days 2 -extfile ",
                     name, ".ext -out ", name, ".crt"));
  }
  void Run(const std::string& arguments) {
    const std::string command = absl::StrCat(
        "cd '", folder_.path(), "' && openssl ", arguments, " 2>openssl.log");
    // NOLINTNEXTLINE(bugprone-command-processor): a test's own command line
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  TempDir folder_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_TESTS_OPERATOR_KUBE_TEST_CERTIFICATES_H_
