"""Keys of a cluster that lives for minutes: an authority, the apiserver's certificate, and the administrator's token."""

import secrets
import subprocess

DAYS = "30"


def make(folder, addresses, names):
    """Fills `folder` with ca.crt, api.crt, api.key, sa.key and tokens.csv; the administrator's token."""
    folder.mkdir(mode=0o700)

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    def key(name):
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", name)

    key("ca.key")
    openssl("req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=rekindle-test", "-days", DAYS, "-out", "ca.crt")
    key("api.key")
    openssl("req", "-new", "-key", "api.key", "-subj", "/CN=kube-apiserver", "-out", "api.csr")
    alternatives = ["IP:" + a for a in addresses] + ["DNS:" + n for n in names]
    (folder / "names").write_text("subjectAltName=%s\n" % ",".join(alternatives))
    openssl("x509", "-req", "-in", "api.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", DAYS,
            "-extfile", "names", "-out", "api.crt")
    openssl("genrsa", "-out", "sa.key", "2048")
    token = secrets.token_hex(16)
    (folder / "tokens.csv").write_text('%s,admin,admin,"system:masters"\n' % token)
    return token
