"""The WorkflowTemplate `rekindle`, read and rendered as Argo does, as far as one step is concerned.

As a program it writes the reference at the end of docs/argo.md anew: python3 tests/support/step_templates.py
"""

import pathlib
import re

import yaml

REPO = pathlib.Path(__file__).resolve().parents[2]
FILE = REPO / "manifests" / "base" / "templates" / "rekindle.yaml"
COMPARISON = re.compile(r'(\S+) == "(.*?)"(?: \? "(.*?)" : .*)?', re.DOTALL)  # and what it chooses if it holds
TAG = re.compile(r"{{(=?)\s*(.+?)\s*}}", re.DOTALL)


def load():
    """The templates by name."""
    return {template["name"]: template for template in yaml.safe_load(FILE.read_text())["spec"]["templates"]}


def parameters(template, side="inputs"):
    """The parameters of a template by name."""
    return {parameter["name"]: parameter for parameter in template.get(side, {}).get("parameters", [])}


def steps():
    """Those templates that run a command of rekindle, by name."""
    return {name: template for name, template in load().items() if "container" in template}


def verb(template):
    [program, word] = template["container"]["command"]
    assert program == "rekindle", program
    return word


def render(text, scope):
    """The text with its tags replaced. Of expressions, it knows the comparison with a string."""
    def value(match):
        if not match[1]:
            return scope[match[2]]
        name, wanted, then = COMPARISON.fullmatch(match[2]).groups()
        equal = scope[re.sub(r'\["(.+)"]', r".\1", name)] == wanted
        if then is None:
            return "true" if equal else "false"
        assert equal, "this is for a cluster: " + match[2]
        return then
    return TAG.sub(value, text)


def command(template, given, workflow_uid, last_message=""):
    """The words of a step's command, and its environment."""
    values = {name: given.get(name, parameter.get("value")) for name, parameter in parameters(template).items()}
    missing = [name for name, value in values.items() if value is None]
    unknown = sorted(set(given) - set(values))
    assert not missing and not unknown, "missing %s, unknown %s" % (missing, unknown)
    scope = {"inputs.parameters." + name: value for name, value in values.items()}
    scope.update({"workflow.uid": workflow_uid, "lastRetry.message": last_message})
    container = template["container"]
    words = [render(word, scope) for word in container["command"] + container["args"]]
    return words, {entry["name"]: render(entry["value"], scope) for entry in container.get("env", [])}


def pod_spec_patch(template):
    """What a template changes of its pod, with the parameters' own values."""
    values = {"inputs.parameters." + name: parameter.get("value", "") for name, parameter in parameters(template).items()}
    return yaml.safe_load(render(template["podSpecPatch"], values))


def _texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def tags(template):
    """The names that a template uses anywhere but in its own parameters."""
    rest = {key: value for key, value in template.items() if key != "inputs"}
    return {name for text in _texts(rest) for match in TAG.finditer(text)
            for name in re.findall(r"[a-zA-Z][\w.-]*", re.sub(r'\["(.+?)"]', r".\1", match[2]))}


REFERENCE = "\n## Reference\n"  # in docs/argo.md: from here on it is made


def _rows(some, columns):
    lines = ["| %s |" % " | ".join(columns), "|%s" % ("---|" * len(columns))]
    for parameter in some:
        default = parameter.get("value")
        cells = ["`%s`" % parameter["name"]]
        if len(columns) == 3:
            cells.append("required" if default is None else "`%s`" % default if default else "")
        words = parameter.get("description", "").removesuffix("; required")
        if parameter.get("enum"):
            words += ": one of " + ", ".join("`%s`" % value if value else "empty" for value in parameter["enum"])
        lines.append("| %s |" % " | ".join([*cells, words.replace("|", "\\|")]))
    return lines + [""]


LIKE_TRAINER = ("trainer-gpu", "trainer-workers")


def reference():
    """Parameters and outputs of every template, as Markdown."""
    templates = {name: template for name, template in load().items() if parameters(template)}
    trainer = list(parameters(templates["trainer"]).values())
    plain = [parameters(t).values() for name, t in templates.items() if name not in ("reaper", *LIKE_TRAINER)]
    common = [parameter for parameter in trainer if all(parameter in other for other in plain)]
    lines = [REFERENCE, "What every template takes, `reaper` in part:", ""] + _rows(common, ["parameter", "default", ""])
    for name, template in templates.items():
        own = list(parameters(template).values())
        lines += ["### %s" % name, ""]
        if name in LIKE_TRAINER:
            taken = ["`%s`" % p["name"] for p in own if p in trainer and p not in common]
            lines += ["Of `trainer`'s parameters it takes %s. Its own:" % ", ".join(taken), ""]
            lines += _rows([p for p in own if p not in trainer], ["parameter", "default", ""])
            lines += ["Outputs as of `trainer`: %s." % ", ".join("`%s`" % key for key in parameters(template, "outputs")), ""]
            continue
        lines += ["`rekindle %s`. Beside those of every template:" % verb(template), ""]
        lines += _rows([p for p in own if p not in common], ["parameter", "default", ""])
        outputs = list(parameters(template, "outputs").values())
        lines += _rows(outputs, ["output", ""]) if outputs else []
    return "\n".join(lines).rstrip("\n") + "\n"


def document():
    return REPO / "docs" / "argo.md"


if __name__ == "__main__":
    before = document().read_text().split(REFERENCE)[0]
    document().write_text(before.rstrip("\n") + "\n" + reference())
