"""Counts the rows of each species: a component for `rekindle exec`."""

import collections
import csv
import json
import os
import pathlib

step = json.loads(pathlib.Path(os.environ["REKINDLE_STEP_EXECUTOR_INPUT"]).read_text())
[table] = step["inputs"]["table"]
with open(pathlib.Path(table["uri"]) / "rows.csv", newline="") as file:
    counts = collections.Counter(row["species"] for row in csv.DictReader(file))

report = pathlib.Path(step["outputs"]["report"]["uri"])
with open(report / "species.csv", "w", newline="") as file:
    csv.writer(file).writerows([("species", "rows"), *sorted(counts.items())])

total = sum(counts.values())
pathlib.Path(step["output_path"]).write_text(json.dumps({
    "metrics": {"share_of_largest": max(counts.values()) / total},
    "outputs": {"report": {"custom_properties": {"rows": total, "species": len(counts)}}},
}))
