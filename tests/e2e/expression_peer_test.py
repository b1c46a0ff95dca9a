"""Random expressions, conditions and tags: Rekindle and Argo's own libraries give the same values."""

import json
import os
import pathlib
import random
import subprocess

import workspace
from workspace import REPO, Workspace

# Of each kind. Many more, for a while: REKINDLE_CASES=1000000 tests/e2e/expression_peer_test.py BIN
CASES = int(os.environ.get("REKINDLE_CASES", "4000"))
STACK = REPO / "tests" / "cluster" / "stack" / "build"
# What we always refuse, and Argo only when it gets there: in an argument of sprig's, in a branch that is not taken.
AT_ONCE = ("no function", "unknown name")
VARIABLES = {
    "name": "penguin", "empty": "", "yes": True, "list": [3.5, 1.5, 2.5], "words": ["b", "a", "c"],
    "inputs.parameters.n": "7", "inputs.parameters.text": 'a "b"\n<c>', "tasks.a.outputs.result": '{"k": [1, {"x": "y"}]}',
    "missing": None,
}


class Generator:
    """Expressions whose types are right more often than not."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self, depth):
        if depth <= 0:
            return self.pick("1", "2.5", "0", "-3", "10", "0x1f", "1e3", "1e6", "0.00002", "123456789", "list[0]", "len(name)", "asInt(inputs.parameters.n)")
        one, two = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            "(%s + %s)" % (one, two), "%s - %s" % (one, two), "%s * %s" % (one, two), "(%s) / 4" % one,
            "(%s ? %s : %s)" % (self.truth(depth - 1), one, two), "len(%s)" % self.texts(depth - 1), "max(%s, %s)" % (one, two),
            "abs(%s)" % one, "floor(%s)" % one, "round(%s)" % one, "(missing ?? %s)" % one, "sum([%s, %s])" % (one, two),
            "int(%s)" % one, "float(%s)" % one, "count(words, # > 'a')", "2 ** 3", "-(%s)" % one,
            "sprig.add(3, 4)", "reduce([%s, %s], #acc + #)" % (one, two), "let v = %s; v + 1" % one, "mean(%s, %s)" % (one, two))

    def text(self, depth):
        if depth <= 0:
            return self.pick("'a'", '"b c"', "`raw`", "name", "inputs.parameters.text", "''", "'1'", "words[1]", "'\u00e9\u20ac'")
        one, two = self.text(depth - 1), self.text(depth - 1)
        return self.pick(
            "(%s + %s)" % (one, two), "upper('x' + %s)" % self.pick("'ab'", "name"), "trim(%s)" % one, "string(%s)" % self.number(depth - 1),
            "join(%s, '-')" % self.texts(depth - 1), "replace(%s, 'a', %s)" % (one, two), "toJson(%s)" % self.anything(depth - 1),
            "(%s ? %s : %s)" % (self.truth(depth - 1), one, two), "%s[0:1]" % self.pick("name", "'abc'"), "(missing ?? %s)" % one,
            "sprig.trim(%s)" % one, "sprig.default(%s, %s)" % (one, two), "sprig.replace('e', 'i', %s)" % one,
            "string(%s)" % self.truth(depth - 1), "repeat(%s, 2)" % one, "trimPrefix(%s, 'a')" % one, "type(%s)" % self.text(0))

    def texts(self, depth):
        if depth <= 0:
            return self.pick("words", "['x', 'y']", "[]", "split(name, 'n')")
        one = self.texts(depth - 1)
        return self.pick(
            "filter(%s, {# != 'a'})" % one, "map(%s, # + '!')" % one, "sort(%s)" % one, "reverse(%s)" % one, "uniq(%s)" % one,
            "split(%s, 'a')" % self.text(depth - 1), "%s[1:]" % one, "concat(%s, ['z'])" % one,
            "take(%s, 1)" % one, "sortBy(%s, #, 'desc')" % one, "[%s]" % self.text(depth - 1))

    def truth(self, depth):
        if depth <= 0:
            return self.pick("true", "false", "yes", "name == 'penguin'", "missing == nil", "'a' in words")
        one, two = self.truth(depth - 1), self.truth(depth - 1)
        return self.pick(
            "(%s and %s)" % (one, two), "(%s || %s)" % (one, two), "!(%s)" % one, "not (%s)" % one,
            "%s < %s" % (self.number(depth - 1), self.number(depth - 1)), "(%s) == (%s)" % (self.text(depth - 1), self.text(depth - 1)),
            "%s startsWith 'p'" % self.text(0), "%s matches '^[a-z]+$'" % self.text(0), "%s contains 'a'" % self.text(0),
            "%s not in %s" % (self.text(0), self.texts(depth - 1)), "any(%s, # == 'a')" % self.texts(depth - 1),
            "all(%s, len(#) > 0)" % self.texts(depth - 1), "1 < %s <= 9" % self.number(depth - 1),
            "(%s) != (%s)" % (self.number(depth - 1), self.number(depth - 1)), "hasPrefix(%s, 'a')" % self.text(0))

    def anything(self, depth):
        make = self.pick(self.number, self.text, self.texts, self.truth, self.odd)
        return make(depth)

    def odd(self, depth):
        # Not `missing?.a`: of a variable that is nil from the start, expr refuses it in some places and not in others.
        return self.pick(
            "{a: %s, 'b': %s}" % (self.number(depth - 1), self.text(depth - 1)), "fromJSON(tasks.a.outputs.result)",
            "fromJSON(tasks.a.outputs.result).k[1].x", "jsonpath(tasks.a.outputs.result, '$.k[1].x')", "fromJSON('{}').none?.a", "1..4",
            "keys({a: 1})", "values({a: %s})" % self.number(0), "first(words)", "last([])", "1 +", "unknown + 1", "lenn(1)", "'a' + 1",
            "len(groupBy(words, #))", "toPairs({a: 1})", "flatten([[1], [2, [3]]])", "words[9]", "inputs.parameters.none",
            "toBase64(name)", "fromBase64(toBase64(name))", "median(1, 5, 3)", "find(words, # == 'c')", "findIndex(words, # == 'c')")

    def condition(self, depth):
        if depth <= 0:
            word = lambda: self.pick("a", "b", "'a'", "'b c'", "1", "2.5", "true", "0x1f", "a_b", "'1'", "a.b", "''")
            return "%s %s %s" % (word(), self.pick("==", "!=", "<", ">=", ">", "<="), word())
        one, two = self.condition(depth - 1), self.condition(depth - 1)
        return self.pick(
            "(%s) && (%s)" % (one, two), "(%s) || (%s)" % (one, two), "!(%s)" % one, "%s && %s" % (one, two), "%s || %s" % (one, two),
            "a in (a, b)", "c in ('a', 'b')", "abc =~ '^a'", "abc !~ 'x$'", "1 + 2 * 3 == 7", "(%s) ? true : false" % one, "-1 < 2",
            "a b", "(a == b", "7 % 4 == 3", "2 ** 3 == 8", "a + b == ab", "true == (%s)" % one)

    def tags(self):
        parts = ["x", '"', "\\", "\n", "{", "}", "{{name}}", "{{ inputs.parameters.text }}", "{{unknown}}", "{{={0}}}", "\u00e9", "<&>",
                 "{{inputs.parameters.{{unknown}}}}", "{{=later}}", "{{=missing ?? 'd'}}"]
        text = "".join(self.random.choice(parts) for _ in range(self.random.randint(1, 6)))
        return text.replace("{0}", self.anything(1).replace("}}", "} }"))


class ExpressionPeerTest(Workspace):
    timeout = 600

    @classmethod
    def setUpClass(cls):
        subprocess.run([STACK, "expressions"], check=True)
        where = subprocess.run([STACK, "--where"], check=True, capture_output=True, text=True).stdout.strip()
        cls.argo = pathlib.Path(where) / "bin" / "expressions"

    def ask(self, program, questions):
        lines = "".join(json.dumps(question) + "\n" for question in questions)
        result = subprocess.run([program], input=lines, capture_output=True, text=True, check=True, timeout=self.timeout)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def compare(self, language, texts, seed, least):
        questions = [{"language": language, "text": text, "variables": VARIABLES} for text in texts]
        theirs = self.ask(self.argo, questions)
        ours = self.ask(workspace.BIN / "evaluate_lines", questions)
        self.assertEqual(len(ours), len(theirs))
        different = []
        agreed = 0
        for text, our, their in zip(texts, ours, theirs):
            if any(reason in our.get("error", "") for reason in AT_ONCE):
                continue
            if "value" in their and our.get("value") != their["value"]:
                different.append((text, our, their))
            elif "value" in their:
                agreed += 1
        self.assertEqual(different[:5], [], "seed %d, %d of %d differ" % (seed, len(different), len(texts)))
        self.assertGreater(agreed, len(texts) * least, "too few of the cases have a value")

    def test_expressions(self):
        seed = random.SystemRandom().randrange(2**32)
        generator = Generator(seed)
        self.compare("expr", [generator.anything(generator.random.randint(0, 3)) for _ in range(CASES)], seed, 0.5)

    def test_conditions(self):
        seed = random.SystemRandom().randrange(2**32)
        generator = Generator(seed)
        texts = [generator.condition(generator.random.randint(0, 2)) for _ in range(CASES)]
        self.compare("when", texts, seed, 0.3)
        self.assert_refusals_agree(texts)

    def assert_refusals_agree(self, texts):
        questions = [{"language": "when", "text": text} for text in texts]
        for text, our, their in zip(texts, self.ask(workspace.BIN / "evaluate_lines", questions), self.ask(self.argo, questions)):
            self.assertEqual("error" in our, "error" in their, (text, our, their))

    def test_tags(self):
        seed = random.SystemRandom().randrange(2**32)
        generator = Generator(seed)
        self.compare("tags", [generator.tags() for _ in range(CASES)], seed, 0.5)


if __name__ == "__main__":
    workspace.main()
