"""Holds our store against ml_metadata on the same database files.

  python mlmd_peer_test.py GRAPH_TOOL [--seed N] [--rounds N]

Each round writes a random graph with one side and reads it with both; then the
other side adds to the same file and both read again. Any difference fails.
"""

import argparse
import math
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

from google.protobuf import descriptor
from ml_metadata import errors
from ml_metadata import metadata_store
from ml_metadata.proto import metadata_store_pb2 as mlmd

TEXT = ['a', 'B', '7', ' ', "'", '"', '%', '_', '\\', '\n', 'é', '日', '😀']


def open_peer(path):
  config = mlmd.ConnectionConfig()
  config.sqlite.filename_uri = path
  config.sqlite.connection_mode = (
      mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE)
  return metadata_store.MetadataStore(config)


def run_ours(tool, *arguments):
  done = subprocess.run([tool, *arguments], capture_output=True, check=False)
  if done.returncode != 0:
    raise AssertionError(f'{arguments}: {done.stderr.decode()}')
  return mlmd.LineageGraph.FromString(done.stdout)


def read_with_peer(path):
  """Everything in the database, as ml_metadata sees it."""
  store = open_peer(path)
  graph = mlmd.LineageGraph()
  # Its lists of types leave out external ids; by id they are there.
  graph.artifact_types.extend(
      store.get_artifact_types_by_id([t.id for t in store.get_artifact_types()]))
  graph.execution_types.extend(
      store.get_execution_types_by_id(
          [t.id for t in store.get_execution_types()]))
  graph.context_types.extend(
      store.get_context_types_by_id([t.id for t in store.get_context_types()]))
  graph.artifacts.extend(store.get_artifacts())
  graph.executions.extend(store.get_executions())
  graph.contexts.extend(store.get_contexts())
  graph.events.extend(
      store.get_events_by_execution_ids([e.id for e in graph.executions]))
  for context in graph.contexts:
    for node in store.get_artifacts_by_context(context.id):
      graph.attributions.add(artifact_id=node.id, context_id=context.id)
    for node in store.get_executions_by_context(context.id):
      graph.associations.add(execution_id=node.id, context_id=context.id)
    for parent in store.get_parent_contexts_by_context(context.id):
      graph.parent_contexts.add(child_id=context.id, parent_id=parent.id)
  return graph


# --- comparing ---------------------------------------------------------------


def same_number(a, b):
  # ml_metadata reads doubles through text of 15 digits.
  return a == b or math.isclose(a, b, rel_tol=1e-14) or (
      math.isnan(a) and math.isnan(b))


def flatten(message, path=''):
  """Yields (path, leaf) of every field that is set, maps in order of key."""
  for field, value in message.ListFields():
    name = f'{path}.{field.name}'
    entry = field.message_type
    if entry is not None and entry.GetOptions().map_entry:
      for key in sorted(value):
        item = value[key]
        if hasattr(item, 'ListFields'):
          yield f'{name}[{key!r}]', '{}'
          yield from flatten(item, f'{name}[{key!r}]')
        else:
          yield f'{name}[{key!r}]', item
    elif field.label == descriptor.FieldDescriptor.LABEL_REPEATED:
      for i, item in enumerate(value):
        if hasattr(item, 'ListFields'):
          yield f'{name}[{i}]', '{}'
          yield from flatten(item, f'{name}[{i}]')
        else:
          yield f'{name}[{i}]', item
    elif hasattr(value, 'ListFields'):
      yield name, '{}'
      yield from flatten(value, name)
    else:
      yield name, value


def same(a, b):
  left, right = list(flatten(a)), list(flatten(b))
  return len(left) == len(right) and all(
      p == q and (same_number(x, y) if isinstance(x, float) else x == y)
      for (p, x), (q, y) in zip(left, right))


def key_of(message):
  if hasattr(message, 'id'):
    return (message.id,)
  return tuple(
      getattr(message, name)
      for name in ('artifact_id', 'execution_id', 'context_id', 'child_id',
                   'parent_id', 'type')
      if hasattr(message, name))


def without_times(message):
  """Without what only the store knows."""
  copy = type(message)()
  copy.CopyFrom(message)
  for name in ('create_time_since_epoch', 'last_update_time_since_epoch'):
    if name in copy.DESCRIPTOR.fields_by_name:
      copy.ClearField(name)
  return copy


def differences(ours, theirs, clean=lambda message: message, subset=False):
  """What is not equal in two graphs; `subset`: theirs may hold more."""
  found = []
  for field in mlmd.LineageGraph.DESCRIPTOR.fields:
    left = {key_of(m): clean(m) for m in getattr(ours, field.name)}
    right = {key_of(m): clean(m) for m in getattr(theirs, field.name)}
    for key in left.keys() | (set() if subset else right.keys()):
      if key not in left or key not in right or not same(left[key], right[key]):
        found.append(f'{field.name} {key}:\n--- ours\n{left.get(key)}\n'
                     f'--- theirs\n{right.get(key)}')
  return found


def expect_same(what, *arguments, **named):
  found = differences(*arguments, **named)
  if found:
    raise AssertionError(f'{what}: {len(found)} differ, the first:\n{found[0]}')


# --- a random graph, written by the peer -------------------------------------


def random_text(dice):
  return ''.join(dice.choices(TEXT, k=dice.randrange(1, 8)))


def set_random_value(dice, value, kind):
  if kind == mlmd.INT:
    value.int_value = dice.randrange(-2**62, 2**62)
  elif kind == mlmd.DOUBLE:
    value.double_value = dice.uniform(-1e6, 1e6)
  elif kind == mlmd.STRING:
    value.string_value = random_text(dice)
  elif kind == mlmd.STRUCT:
    value.struct_value['a'] = random_text(dice)
    value.struct_value['b'] = [1, None, True]
  elif kind == mlmd.PROTO:
    value.proto_value.Pack(mlmd.Event(artifact_id=dice.randrange(99)))
  else:
    value.bool_value = dice.random() < 0.5


def fill_type(dice, kind, name):
  kind.name = name + random_text(dice)
  if dice.random() < 0.5:
    kind.version = 'v1'
  if dice.random() < 0.5:
    kind.description = random_text(dice)
  if dice.random() < 0.5:
    kind.external_id = 'type of ' + name
  for i in range(dice.randrange(7)):
    kind.properties[f'p{i}'] = dice.randrange(1, 7)
  return kind


def fill_node(dice, node, kind, name):
  node.type_id = kind.id
  node.name = name + random_text(dice)
  if dice.random() < 0.5:
    node.external_id = 'id of ' + name
  for key, value_type in kind.properties.items():
    if dice.random() < 0.7:
      set_random_value(dice, node.properties[key], value_type)
  for _ in range(dice.randrange(4)):
    set_random_value(dice, node.custom_properties[random_text(dice)],
                     dice.randrange(1, 7))
  return node


def write_with_peer(path, seed):
  store = open_peer(path)
  dice = random.Random(seed)
  prefix = f'p{seed}-'
  artifact_type = fill_type(dice, mlmd.ArtifactType(), prefix + 'a')
  artifact_type.base_type = mlmd.ArtifactType.DATASET
  artifact_type.id = store.put_artifact_type(artifact_type)
  execution_type = fill_type(dice, mlmd.ExecutionType(), prefix + 'e')
  execution_type.output_type.none.SetInParent()
  execution_type.id = store.put_execution_type(execution_type)
  context_type = fill_type(dice, mlmd.ContextType(), prefix + 'c')
  context_type.id = store.put_context_type(context_type)

  artifacts = store.put_artifacts([
      fill_node(
          dice,
          mlmd.Artifact(uri=random_text(dice), state=dice.randrange(7)),
          artifact_type, f'{prefix}A{i}') for i in range(10)
  ])
  executions = store.put_executions([
      fill_node(dice, mlmd.Execution(last_known_state=dice.randrange(7)),
                execution_type, f'{prefix}E{i}') for i in range(5)
  ])
  contexts = store.put_contexts([
      fill_node(dice, mlmd.Context(), context_type, f'{prefix}C{i}')
      for i in range(4)
  ])
  events = []
  for artifact in artifacts:
    event = mlmd.Event(
        artifact_id=artifact,
        execution_id=dice.choice(executions),
        type=dice.randrange(1, 8))
    event.path.steps.add(key=random_text(dice))
    event.path.steps.add(index=dice.randrange(5))
    events.append(event)
  store.put_events(events)
  store.put_attributions_and_associations(
      [mlmd.Attribution(artifact_id=a, context_id=dice.choice(contexts))
       for a in artifacts],
      [mlmd.Association(execution_id=e, context_id=dice.choice(contexts))
       for e in executions])
  store.put_parent_contexts(
      [mlmd.ParentContext(child_id=child, parent_id=parent)
       for parent, child in zip(contexts, contexts[1:])])


# --- rounds ------------------------------------------------------------------


def schema_of(path):
  """The definitions in the file, but for ours, spaces aside."""
  database = sqlite3.connect(path)
  rows = database.execute(
      "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND "
      "name NOT LIKE 'rk\\_%' ESCAPE '\\'").fetchall()
  database.close()
  return {name: re.sub(r'\s+|(?<=[(,])\s*|\s*(?=[),])', '', sql)
          for name, sql in rows}


def check_schema(tool, folder):
  ours, theirs = os.path.join(folder, 'ours.db'), os.path.join(folder, 'p.db')
  run_ours(tool, 'write', ours, '0')
  open_peer(theirs)
  if schema_of(ours) != schema_of(theirs):
    raise AssertionError(
        f'schema: {schema_of(ours).items() ^ schema_of(theirs).items()}')


def play(tool, folder, seed):
  # Ours first; theirs adds; both agree on all of it at every turn.
  path = os.path.join(folder, f'{seed}-ours.db')
  written = run_ours(tool, 'write', path, str(seed))
  read = run_ours(tool, 'read', path)
  expect_same('we read what we wrote', written, read, without_times)
  expect_same('they read what we wrote', read, read_with_peer(path))
  write_with_peer(path, seed)
  expect_same('after they added', run_ours(tool, 'read', path),
              read_with_peer(path))

  # Theirs first; ours adds.
  path = os.path.join(folder, f'{seed}-theirs.db')
  write_with_peer(path, seed)
  expect_same('we read what they wrote', run_ours(tool, 'read', path),
              read_with_peer(path))
  written = run_ours(tool, 'write', path, str(seed))
  theirs = read_with_peer(path)
  expect_same('after we added', run_ours(tool, 'read', path), theirs)
  expect_same('they read what we added', written, theirs, without_times,
              subset=True)


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument('graph_tool')
  parser.add_argument('--seed', type=int, default=random.randrange(2**31))
  parser.add_argument('--rounds', type=int, default=5)
  options = parser.parse_args()
  print(f'seed {options.seed}', flush=True)
  with tempfile.TemporaryDirectory() as folder:
    check_schema(options.graph_tool, folder)
    for i in range(options.rounds):
      play(options.graph_tool, folder, options.seed + i)
  print(f'{options.rounds} rounds, no difference')


if __name__ == '__main__':
  try:
    main()
  except (AssertionError, errors.StatusError) as problem:
    sys.exit(f'FAILED {problem}')
