"""Compares our optimizers and learning rates with Keras's.

Where Keras has no such thing, as Model Garden's adamw and its moving averages,
the rule is written here in NumPy.

Usage: optimizers_peer_test.py OPTIMIZER_TOOL
"""

import json
import os
import re
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import keras  # noqa: E402
import numpy as np  # noqa: E402

SEED = int(os.environ.get("REKINDLE_TEST_SEED", "7"))
CASES_PER_OPTIMIZER = 16
CASES_PER_SCHEDULE = 20
TOLERANCE = 1e-4


def chance(rng, share):
    return rng.random() < share


def pick(rng, low, high):
    return float(rng.uniform(low, high))


# Learning rates: configurations and what they should be.


def random_schedule(rng, kind):
    """A configuration, and its rate at a step."""
    steps = int(rng.integers(1, 60))
    first = pick(rng, 0.001, 0.5)
    offset = int(rng.integers(0, 20)) if chance(rng, 0.5) else 0
    schedules = keras.optimizers.schedules
    if kind == "constant":
        return {"learning_rate": first}, lambda step: first
    if kind == "stepwise":
        boundaries = sorted(set(rng.integers(1, 50, rng.integers(1, 5)).tolist()))
        values = rng.uniform(0.001, 0.5, len(boundaries) + 1).tolist()
        config = {"boundaries": boundaries, "values": values}
        peer = schedules.PiecewiseConstantDecay(**config)
    elif kind == "exponential":
        config = {"initial_learning_rate": first, "decay_steps": steps,
                  "decay_rate": pick(rng, 0.5, 1), "staircase": chance(rng, 0.5)}
        peer = schedules.ExponentialDecay(**config)
    elif kind == "polynomial":
        config = {"initial_learning_rate": first, "decay_steps": steps,
                  "end_learning_rate": pick(rng, 0, 0.01), "power": pick(rng, 0.5, 3),
                  "cycle": chance(rng, 0.5)}
        peer = schedules.PolynomialDecay(**config)
    else:
        config = {"initial_learning_rate": first, "decay_steps": steps,
                  "alpha": pick(rng, 0, 0.5)}
        peer = schedules.CosineDecay(**config)
    if config.get("cycle"):
        offset = 0  # Keras divides by 0 before the first cycle.
    if offset:
        config["offset"] = offset
    return config, lambda step: float(peer(float(step - offset)))


def random_warmup(rng, rate):
    """A configuration, and the rate at a step that it makes of `rate`."""
    steps = int(rng.integers(1, 30))
    target = rate(steps)
    if chance(rng, 0.5):
        first = pick(rng, 0, 0.01)
        return (
            {"type": "linear", "linear": {"warmup_learning_rate": first, "warmup_steps": steps}},
            lambda step: first + step / steps * (target - first) if step < steps else rate(step),
        )
    power = pick(rng, 0.5, 3)
    return (
        {"type": "polynomial", "polynomial": {"power": power, "warmup_steps": steps}},
        lambda step: target * (max(step, 1) / steps) ** power if step < steps else rate(step),
    )


SCHEDULES = ("constant", "stepwise", "exponential", "polynomial", "cosine")


def random_rate(rng, kind=None):
    kind = kind or str(rng.choice(SCHEDULES))
    settings, rate = random_schedule(rng, kind)
    config = {"learning_rate": {"type": kind, kind: settings}}
    if chance(rng, 0.5):
        config["warmup"], rate = random_warmup(rng, rate)
    return config, rate


def rate_cases(rng):
    for kind in SCHEDULES:
        for _ in range(CASES_PER_SCHEDULE):
            config, rate = random_rate(rng, kind)
            steps = sorted({0, 1, *rng.integers(0, 150, 10).tolist()})
            config["optimizer"] = {"type": "sgd"}
            expected = [rate(step) for step in steps]
            yield {"config": config, "rates_at": steps}, {"rates": expected}


# Optimizers: configurations, and what changes the weights.


class KerasRule:
    """An optimizer of Keras's."""

    def __init__(self, make, rate):
        self.make, self.rate = make, rate

    def start(self, weights):
        self.optimizer = self.make(learning_rate=self.rate(0))
        self.variables = {n: keras.Variable(w, name="v") for n, w in weights.items()}
        self.optimizer.build(list(self.variables.values()))

    def step(self, number, gradients):
        self.optimizer.learning_rate = self.rate(number)
        names = list(self.variables)
        self.optimizer.apply(
            [keras.ops.convert_to_tensor(gradients[n].astype("float32")) for n in names],
            [self.variables[n] for n in names])

    def weights(self):
        return {n: np.asarray(v) for n, v in self.variables.items()}


class AdamWeightDecayRule:
    """Model Garden's AdamWeightDecay."""

    def __init__(self, settings, rate):
        self.settings, self.rate = settings, rate

    def start(self, weights):
        self.values = {n: w.astype("float64") for n, w in weights.items()}
        self.m = {n: np.zeros(w.shape) for n, w in weights.items()}
        self.v = {n: np.zeros(w.shape) for n, w in weights.items()}
        self.vhat = {n: np.zeros(w.shape) for n, w in weights.items()}

    def decays(self, name):
        for pattern in self.settings["include_in_weight_decay"]:
            if re.search(pattern, name):
                return True
        return not any(re.search(p, name) for p in self.settings["exclude_from_weight_decay"])

    def step(self, number, gradients):
        s, rate, t = self.settings, self.rate(number), number + 1
        norm = np.sqrt(sum(np.sum(g**2) for g in gradients.values()))
        clip = s["gradient_clip_norm"]
        scale = clip / max(norm, clip) if clip > 0 else 1
        for name, gradient in gradients.items():
            g = gradient * scale
            if self.decays(name):
                self.values[name] -= rate * s["weight_decay_rate"] * self.values[name]
            self.m[name] += (1 - s["beta_1"]) * (g - self.m[name])
            self.v[name] += (1 - s["beta_2"]) * (g**2 - self.v[name])
            self.vhat[name] = np.maximum(self.vhat[name], self.v[name])
            v = self.vhat[name] if s["amsgrad"] else self.v[name]
            size = rate * np.sqrt(1 - s["beta_2"]**t) / (1 - s["beta_1"]**t)
            self.values[name] -= size * self.m[name] / (np.sqrt(v) + s["epsilon"])

    def weights(self):
        return self.values


def random_clipping(rng):
    kind = rng.choice(["none", "clipnorm", "clipvalue", "global_clipnorm"])
    return {} if kind == "none" else {str(kind): pick(rng, 0.05, 3)}


def adam_settings(rng):
    return {"beta_1": pick(rng, 0.5, 0.99), "beta_2": pick(rng, 0.8, 0.9999),
            "epsilon": float(10.0 ** rng.uniform(-8, -2)), "amsgrad": chance(rng, 0.5)}


def random_optimizer(rng, kind, rate):
    """A configuration, and the rule it should be."""
    optimizers = keras.optimizers
    clipping = random_clipping(rng)
    if kind == "sgd":
        settings = {"momentum": pick(rng, 0, 0.99) if chance(rng, 0.5) else 0.0,
                    "nesterov": chance(rng, 0.5)}
        peer = optimizers.SGD
    elif kind == "adam":
        settings = adam_settings(rng)
        peer = optimizers.Adam
    elif kind == "adagrad":
        settings = {"initial_accumulator_value": pick(rng, 0.01, 1),
                    "epsilon": float(10.0 ** rng.uniform(-8, -1))}
        peer = optimizers.Adagrad
    elif kind == "rmsprop":
        settings = {"rho": pick(rng, 0.5, 0.99), "centered": chance(rng, 0.5),
                    "momentum": pick(rng, 0, 0.9) if chance(rng, 0.5) else 0.0,
                    "epsilon": float(10.0 ** rng.uniform(-5, -1))}
        peer = optimizers.RMSprop
    else:
        settings = adam_settings(rng) | {
            "weight_decay_rate": pick(rng, 0, 0.5) if chance(rng, 0.8) else 0.0,
            "include_in_weight_decay": ["kernel_0"] if chance(rng, 0.3) else [],
            "exclude_from_weight_decay": ["kernel", "^b"] if chance(rng, 0.5) else [],
            "gradient_clip_norm": pick(rng, 0.1, 3) if chance(rng, 0.7) else 0.0}
        return {"type": kind, kind: settings}, AdamWeightDecayRule(settings, rate)
    settings |= clipping
    return ({"type": kind, kind: settings},
            KerasRule(lambda **rate: peer(**settings, **rate), rate))


def random_weights(rng):
    weights = {}
    for number in range(rng.integers(1, 4)):
        shape = tuple(rng.integers(1, 6, rng.integers(1, 4)).tolist())
        weights[f"{rng.choice(['kernel', 'bias'])}_{number}"] = shape
    return {n: rng.normal(0, 1, s).astype("float32") for n, s in weights.items()}


def random_gradient(rng, weight, with_rows):
    """A gradient as a case has it, and as a dense array."""
    if not with_rows:
        values = rng.normal(0, 1, weight.shape).astype("float32")
        return {"shape": weight.shape, "values": values.ravel().tolist()}, values.astype("float64")
    rows = rng.integers(0, len(weight), rng.integers(0, 7))
    values = rng.normal(0, 1, (len(rows), *weight.shape[1:])).astype("float32")
    dense = np.zeros(weight.shape)
    np.add.at(dense, rows, values)
    return ({"shape": values.shape, "values": values.ravel().tolist(), "rows": rows.tolist()},
            dense)


class Average:
    """Model Garden's moving average, from the first weights on."""

    def __init__(self, settings, weights):
        self.settings = settings
        self.values = {n: w.astype("float64") for n, w in weights.items()}

    def step(self, number, weights):
        s, done = self.settings, number + 1
        decay = s["average_decay"]
        if done < s["start_step"]:
            decay = 0
        elif s["dynamic_decay"]:
            since = done - s["start_step"]
            decay = min(decay, (1 + since) / (10 + since))
        for name, value in weights.items():
            self.values[name] -= (1 - decay) * (self.values[name] - value)


def optimizer_case(rng, kind):
    config, rate = random_rate(rng)
    config["optimizer"], rule = random_optimizer(rng, kind, rate)
    weights = random_weights(rng)
    with_rows = {name: chance(rng, 0.4) for name in weights}
    rule.start(weights)
    average = None
    if chance(rng, 0.4):
        config["ema"] = {"average_decay": pick(rng, 0.5, 0.999),
                         "start_step": int(rng.integers(0, 5)),
                         "dynamic_decay": chance(rng, 0.5)}
        average = Average(config["ema"], weights)
    steps = []
    for number in range(rng.integers(1, 25)):
        given = {n: random_gradient(rng, w, with_rows[n]) for n, w in weights.items()}
        steps.append({n: g for n, (g, _) in given.items()})
        rule.step(number, {n: dense for n, (_, dense) in given.items()})
        if average:
            average.step(number, rule.weights())
    case = {"config": config, "steps": steps,
            "weights": {n: {"shape": w.shape, "values": w.ravel().tolist()}
                        for n, w in weights.items()}}
    return case, {"weights": rule.weights(), "averages": average.values if average else {}}


def optimizer_cases(rng):
    for kind in ("sgd", "adam", "adamw", "adagrad", "rmsprop"):
        for _ in range(CASES_PER_OPTIMIZER):
            yield optimizer_case(rng, kind)


def difference(ours, theirs, unit=1):
    """The largest one, relative to the value, or to `unit` for smaller ones."""
    ours, theirs = np.asarray(ours), np.asarray(theirs).ravel()
    assert ours.shape == theirs.shape and np.all(np.isfinite(theirs))
    return float(np.max(np.abs(ours - theirs) / np.maximum(unit, np.abs(theirs)), initial=0))


def compare(case, ours, theirs):
    if "rates" in theirs:
        return difference(ours["rates"], theirs["rates"], unit=0.01)
    worst = 0
    for name, weight in theirs["weights"].items():
        worst = max(worst, difference(ours["values"][name], weight))
        average = ours["averages"][name]
        assert bool(average) == ("ema" in case["config"])
        if average:
            assert average == name + "/ExponentialMovingAverage"
            worst = max(worst, difference(ours["values"][average], theirs["averages"][name]))
    return worst


def main():
    rng = np.random.default_rng(SEED)
    pairs = list(rate_cases(rng)) + list(optimizer_cases(rng))
    output = subprocess.run([sys.argv[1]], input=json.dumps([case for case, _ in pairs]),
                            text=True, check=True, stdout=subprocess.PIPE).stdout
    worst = {}
    for (case, theirs), ours in zip(pairs, json.loads(output), strict=True):
        kind = "rates" if "rates_at" in case else case["config"]["optimizer"]["type"]
        found = compare(case, ours, theirs)
        worst[kind] = max(worst.get(kind, 0), found)
        assert found < (1e-5 if kind == "rates" else TOLERANCE), (
            SEED, found, json.dumps(case["config"]))
    figures = ", ".join(f"{kind} {value:.1e}" for kind, value in worst.items())
    print(f"{len(pairs)} cases equal; largest differences: {figures}")


if __name__ == "__main__":
    main()
