"""Certificates for tests."""

import subprocess

# The client of ml_metadata knows no Ed25519.
KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")


class Authority:
    """Signs certificates, by the openssl program."""

    def __init__(self, folder, name):
        self.folder, self.name, self.certificate = folder, name, folder / (name + "-ca.pem")
        self.openssl("req", "-x509", *KEY, "-nodes", "-days", "2", "-subj", "/CN=" + name,
                     "-keyout", self.certificate.with_suffix(".key"), "-out", self.certificate)

    def openssl(self, *words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)

    def sign(self, whom, names="DNS:localhost,IP:127.0.0.1"):
        """The files of a certificate and of its key."""
        path = self.folder / ("%s-%s.pem" % (self.name, whom))
        key, request, extensions = (path.with_suffix(suffix) for suffix in (".key", ".csr", ".ext"))
        extensions.write_text("subjectAltName=%s\n" % names)
        self.openssl("req", *KEY, "-nodes", "-subj", "/CN=" + whom, "-keyout", key, "-out", request)
        self.openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey",
                     self.certificate.with_suffix(".key"), "-days", "2", "-extfile", extensions, "-out", path)
        return path, key
