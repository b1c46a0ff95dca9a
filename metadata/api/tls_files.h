#ifndef REKINDLE_METADATA_API_TLS_FILES_H_
#define REKINDLE_METADATA_API_TLS_FILES_H_

#include <string>

namespace rekindle {

// PEM files for one side of a TLS connection; an empty name is no file.
struct TlsFiles {
  std::string certificate;  // what this side shows, with its intermediates
  std::string key;          // the certificate's
  std::string ca;           // who must have signed what the other side shows

  bool empty() const {
    return certificate.empty() && key.empty() && ca.empty();
  }
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_TLS_FILES_H_
