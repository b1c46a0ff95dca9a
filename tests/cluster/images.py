"""Container images from files, without a registry and without Docker.

An image is a list of layers, a layer a list of entries; both are reproducible, so that what is unchanged is imported once.
"""

import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import tarfile

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Layer:
    """Files for one layer of an image. Entries are added as (path in the image, TarInfo, source file or bytes)."""

    def __init__(self):
        self._entries = {}

    def folder(self, path, mode=0o755):
        entry = tarfile.TarInfo(path.strip("/"))
        entry.type, entry.mode = tarfile.DIRTYPE, mode
        self._entries[entry.name] = (entry, None)
        return self

    def link(self, path, target):
        entry = tarfile.TarInfo(path.strip("/"))
        entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, target, 0o777
        self._entries[entry.name] = (entry, None)
        return self

    def text(self, path, content, mode=0o644):
        entry = tarfile.TarInfo(path.strip("/"))
        entry.mode, entry.size = mode, len(content.encode())
        self._entries[entry.name] = (entry, content.encode())
        return self

    def file(self, source, path=None):
        source = pathlib.Path(os.path.realpath(source)) if path else pathlib.Path(source)
        entry = tarfile.TarInfo(str(path or source).strip("/"))
        entry.mode, entry.size = 0o755 if os.access(source, os.X_OK) else 0o644, source.stat().st_size
        self._entries[entry.name] = (entry, source)
        return self

    def tree(self, source, path, skip=lambda name: False):
        """A folder with all below it; symbolic links within it stay links."""
        for folder, folders, names in os.walk(source):
            folders[:] = sorted(d for d in folders if not skip(d))
            for name in sorted(n for n in names if not skip(n)):
                full = os.path.join(folder, name)
                inside = os.path.join(path, os.path.relpath(full, source))
                if os.path.islink(full) and not os.readlink(full).startswith("/"):
                    self.link(inside, os.readlink(full))
                elif os.path.isfile(full):
                    self.file(full, inside)
        return self

    def program(self, source, path=None, besides=()):
        """A program with the shared libraries it loads, except those in folders `besides`."""
        self.file(source, path or source)
        return self.libraries_of(source, besides)

    def libraries_of(self, source, besides=()):
        listed = subprocess.run(["ldd", str(source)], capture_output=True, text=True).stdout
        for library in re.findall(r"(/\S+) \(0x", listed):
            if not any(library.startswith(str(folder)) for folder in besides):
                self.file(library, library)
        return self

    def write(self, out):
        """Writes the layer as a tar file; its SHA-256."""
        with open(out, "wb") as raw:
            hashed = _Hashing(raw)
            with tarfile.open(fileobj=hashed, mode="w|", format=tarfile.GNU_FORMAT) as tar:
                for _, (entry, content) in sorted(self._with_parents().items()):
                    if isinstance(content, pathlib.Path):
                        with open(content, "rb") as data:
                            tar.addfile(entry, data)
                    else:
                        tar.addfile(entry, io.BytesIO(content) if content is not None else None)
        return hashed.digest.hexdigest()

    def identity(self):
        """A digest of what the layer is made from, by size and time of each file."""
        digest = hashlib.sha256()
        for name, (entry, content) in sorted(self._entries.items()):
            what = content
            if isinstance(content, pathlib.Path):
                stat = content.stat()
                what = "%s %d %d" % (content, stat.st_size, stat.st_mtime_ns)
            digest.update(repr((name, entry.mode, entry.linkname, what)).encode())
        return digest.hexdigest()

    def _with_parents(self):
        every = dict(self._entries)
        for name in self._entries:
            for parent in pathlib.PurePath(name).parents:
                if str(parent) != "." and str(parent) not in every:
                    folder = tarfile.TarInfo(str(parent))
                    folder.type, folder.mode = tarfile.DIRTYPE, 0o755
                    every[str(parent)] = (folder, None)
        return every


class _Hashing:
    def __init__(self, raw):
        self.raw, self.digest = raw, hashlib.sha256()

    def write(self, data):
        self.digest.update(data)
        return self.raw.write(data)


class Image:
    """Layers, the names they go by, and how a container of them starts."""

    def __init__(self, names, layers, entrypoint=None, environment=(), user="", working_dir=""):
        self.names, self.layers = list(names), list(layers)
        self.config = {"Env": ["PATH=" + PATH, *environment], "User": user, "WorkingDir": working_dir}
        if entrypoint:
            self.config["Entrypoint"] = list(entrypoint)

    def identity(self):
        parts = [self.names, self.config, [layer.identity() for layer in self.layers]]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def write(self, out, cache):
        """Writes a Docker archive to `out`, keeping layers in the folder `cache`."""
        cache = pathlib.Path(cache)
        cache.mkdir(parents=True, exist_ok=True)
        layers = [_cached(layer, cache) for layer in self.layers]
        for old in set(cache.glob("*.tar")) - {tar for tar, _ in layers}:
            old.unlink()
            old.with_suffix(".sha256").unlink()
        config = json.dumps({
            "architecture": "amd64", "os": "linux", "created": "1970-01-01T00:00:00Z", "config": self.config,
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest for _, digest in layers]}}).encode()
        name = hashlib.sha256(config).hexdigest() + ".json"
        manifest = json.dumps([{"Config": name, "RepoTags": self.names, "Layers": [d + ".tar" for _, d in layers]}])
        with tarfile.open(out, "w") as tar:
            for path, content in ((name, config), ("manifest.json", manifest.encode())):
                entry = tarfile.TarInfo(path)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
            for path, digest in layers:
                tar.add(path, arcname=digest + ".tar")


def _cached(layer, cache):
    tar, digest = cache / (layer.identity() + ".tar"), cache / (layer.identity() + ".sha256")
    if not digest.exists():
        digest.write_text(layer.write(tar))
    return tar, digest.read_text()
