"""Keys of a cluster that lives for minutes: an authority, the apiserver's certificate, and the administrator's token and certificate."""

import secrets
import subprocess

DAYS = "30"


def make(folder, addresses, names):
    """Fills `folder` with ca.crt, api.crt, api.key, admin.crt, admin.key, sa.key and tokens.csv; the administrator's token."""
    folder.mkdir(mode=0o700)

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    def key(name):
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", name)

    def certificate(name, subject, extension):
        key(name + ".key")
        openssl("req", "-new", "-key", name + ".key", "-subj", subject, "-out", name + ".csr")
        (folder / "extension").write_text(extension + "\n")
        openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", DAYS,
                "-extfile", "extension", "-out", name + ".crt")

    key("ca.key")
    openssl("req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=rekindle-test", "-days", DAYS, "-out", "ca.crt")
    certificate("api", "/CN=kube-apiserver",
                "subjectAltName=" + ",".join(["IP:" + a for a in addresses] + ["DNS:" + n for n in names]))
    certificate("admin", "/O=system:masters/CN=admin", "extendedKeyUsage=clientAuth")
    openssl("genrsa", "-out", "sa.key", "2048")
    token = secrets.token_hex(16)
    (folder / "tokens.csv").write_text('%s,admin,admin,"system:masters"\n' % token)
    return token
