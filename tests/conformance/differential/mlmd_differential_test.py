"""Drives ml_metadata's embedded store and our server with the same calls.

  python mlmd_differential_test.py REKINDLE [--seed N] [--calls N] [--queries N]
                                   [--minutes N]

Every request goes to both, to ours through the stock client over gRPC; every
answer and every error code is compared. docs/differences-from-mlmd.md lists
where we differ on purpose; nothing else may. Twice in between each store gets
the file that the other one has written so far, and they go on. Fails, too, if
any call, filter field or operator was tried too seldom to prove anything.
"""

import argparse
import random
import sys
import tempfile
import time

from google.protobuf import text_format
from ml_metadata.proto import metadata_store_pb2 as mlmd

from differences import Allowed
from random_calls import Generator
from random_calls import PROPERTY_TYPES
from random_calls import FIRST_TYPE
from random_calls import TYPES_PER_KIND
from random_filters import Filters
from stores import Both
from stores import camel
from stores import copy_of
from stores import Difference
from stores import KINDS
from stores import request_of
from stores import RPCS
from world import World

# What a run must show.
CALLS_EACH = 100
FOUND_EACH = 30  # of these: OK, and not an empty answer
FILTER_USES = 20
QUERIES = 2000
QUERIES_FOUND = 0.6

FIRST_NODES = 24
# With more of one update time than a page holds the peer turns in circles:
# difference 5.
NODES_AT_ONCE = 3

# Between two parts each store gets the other one's file.
PARTS = 3

OrderBy = mlmd.ListOperationOptions.OrderByField
TWICE = ('GetParentContextsByContexts', 'GetChildrenContextsByContexts')


class Run:
  """A random sequence of calls to both stores."""

  def __init__(self, both, seed):
    self.both = both
    self.make = Generator(seed)
    self.dice = self.make.dice
    self.world = World(both, self.dice)
    self.filters = Filters(self.dice, self.world, both.allowed)
    self.queries = 0
    self.queries_found = 0

  def set_up(self):
    request = request_of('PutTypes')
    for kind in KINDS:
      for i in range(TYPES_PER_KIND):
        item = getattr(request, f'{kind}_types').add(name=f'{kind}{i}')
        for name, property_type in PROPERTY_TYPES.items():
          item.properties[name] = property_type
    self.put('PutTypes', request)
    for kind in KINDS:
      for first in range(0, FIRST_NODES, NODES_AT_ONCE):
        self.put_first_nodes(kind, range(first, first + NODES_AT_ONCE))

  def put_first_nodes(self, kind, numbers):
    rpc = f'Put{camel(kind)}s'
    request = request_of(rpc)
    for i in numbers:
      node = self.make.fill_node(
          kind, getattr(request, f'{kind}s').add(), new=1, wrong=0)
      node.type_id = FIRST_TYPE[kind] + i % TYPES_PER_KIND
      node.name = f'first {i}'
      node.ClearField('external_id')
      self.make.fill_value(node.properties['i'], mlmd.INT)
    self.put(rpc, request)

  def rarest(self, choices):
    """Of three (call, ...) at random the one that was made least often."""
    return min(self.dice.choices(choices, k=3),
               key=lambda choice: self.both.calls[choice[0]])

  # --- writes ----------------------------------------------------------------

  def put(self, rpc, request, their_request=None):
    before = {kind: {node.id: node for node in self.world.nodes(kind)}
              for kind in KINDS}
    code, answer, _ = self.both.call(rpc, request, their_request)
    if code != 'OK':
      return
    self.world.forget('event')
    for kind in KINDS:
      ids = list(getattr(answer, f'{kind}_ids', []))
      if kind == 'execution' and hasattr(answer, 'execution_id'):
        ids = [answer.execution_id]
      if not ids:
        continue
      self.world.forget(kind)
      self.touch_if_only_peer_did(
          kind, [before[kind][i] for i in sorted(set(ids) & set(before[kind]))])
      self.read_back(kind, ids, request)
      self.make.stored[kind] = [node.id for node in self.world.nodes(kind)]
    self.make.by_external_id = {
        node.external_id: node.id for node in self.world.nodes('artifact')
        if node.external_id}

  def touch_if_only_peer_did(self, kind, before):
    """Difference 2: levels the update times of nodes that have not changed."""
    rpc = f'Get{camel(kind)}sByID'
    read = request_of(rpc, **{f'{kind}_ids': [node.id for node in before]})
    theirs, ours = (
        {node.id: node for node in getattr(side.ask(rpc, read)[1], f'{kind}s')}
        for side in (self.both.peer, self.both.ours))
    put = request_of(f'Put{camel(kind)}s')
    for node in before:
      after = copy_of(theirs[node.id])
      after.last_update_time_since_epoch = node.last_update_time_since_epoch
      level = copy_of(ours[node.id]), copy_of(after)
      self.both.ours.level(level[0])
      self.both.peer.level(level[1])
      if after == node != theirs[node.id] and level[0] == level[1]:
        self.both.allowed.use(2)
        after.custom_properties['touched'].int_value += 1
        getattr(put, f'{kind}s').append(after)
    if getattr(put, f'{kind}s'):
      self.both.call(f'Put{camel(kind)}s', put)
      self.world.forget(kind)

  def read_back(self, kind, ids, request):
    """Compares what a write has left behind."""
    rpc = f'Get{camel(kind)}sByID'
    try:
      self.both.call(rpc, request_of(rpc, **{f'{kind}_ids': ids}))
    except Difference as difference:
      raise Difference(f'after {type(request).__name__}\n'
                       f'{text_format.MessageToString(request)}'
                       f'{difference}') from difference

  def write(self):
    kind = self.dice.choice(KINDS)
    rpc, fill = self.rarest([
        (f'Put{camel(kind)}Type', lambda r: self.make.put_type(kind, r)),
        (f'Put{camel(kind)}s', lambda r: self.make.put_nodes(kind, r)),
        ('PutTypes', self.make.put_types),
        ('PutEvents', self.make.put_events),
        ('PutExecution', self.make.put_execution),
        ('PutLineageSubgraph', self.make.put_lineage_subgraph),
        ('PutAttributionsAndAssociations',
         self.make.put_attributions_and_associations),
        ('PutParentContexts', self.make.put_parent_contexts),
    ])
    request = request_of(rpc)
    fill(request)
    self.put(rpc, request)

  def write_if_unchanged(self):
    """Optimistic concurrency: each store is told its own last update time."""
    ids = sorted({self.make.id_of('artifact', wrong=0) for _ in range(2)})
    _, theirs, ours = self.both.call(
        'GetArtifactsByID', request_of('GetArtifactsByID', artifact_ids=ids))
    stale = self.make.maybe(0.3)
    changed = self.make.fill_node('artifact', mlmd.Artifact(), 1, 0)
    requests = []
    for answer in (ours, theirs):
      request = request_of('PutArtifacts')
      request.options.abort_if_latest_updated_time_changed = True
      for node in sorted(answer.artifacts, key=lambda node: node.id):
        artifact = copy_of(changed)
        artifact.MergeFrom(mlmd.Artifact(
            id=node.id, type_id=node.type_id, name=node.name,
            last_update_time_since_epoch=(
                node.last_update_time_since_epoch - stale)))
        artifact.ClearField('external_id')
        request.artifacts.append(artifact)
      requests.append(request)
    self.put('PutArtifacts', *requests)

  # --- reads -----------------------------------------------------------------

  def read(self):
    kind = self.dice.choice(KINDS)
    name = camel(kind)
    version = {'type_version': self.make.pick('', 'v1')} if (
        self.make.maybe(0.1)) else {}
    rpc, fields = self.rarest([
        (f'Get{name}Type',
         dict(version, type_name=self.make.type_name(kind))),
        (f'Get{name}TypesByID', {'type_ids': [
            self.dice.randrange(30) for _ in self.make.times(4)]}),
        (f'Get{name}Types', {}),
        (f'Get{name}sByID', {f'{kind}_ids': self.make.ids_of(kind)}),
        (f'Get{name}ByTypeAndName', dict(version, **self.some_name(kind))),
        (f'Get{name}sByExternalIds', {
            'external_ids': self.some_external_ids(self.world.nodes(kind))}),
        (f'Get{name}TypesByExternalIds', {'external_ids': [
            f'{kind} type {self.dice.randrange(35)}'
            for _ in self.make.times(4)]}),
        ('GetArtifactsByID', {'artifact_ids': self.make.ids_of('artifact'),
                              'populate_artifact_types': True}),
        ('GetArtifactsByURI', {'uris': self.dice.sample(
            ['u0', 'u1', 'a/b', 'absent'], self.dice.randrange(4))}),
        ('GetEventsByExecutionIDs',
         {'execution_ids': self.make.ids_of('execution')}),
        ('GetEventsByArtifactIDs',
         {'artifact_ids': self.make.ids_of('artifact')}),
        ('GetContextsByArtifact',
         {'artifact_id': self.make.id_of('artifact')}),
        ('GetContextsByExecution',
         {'execution_id': self.make.id_of('execution')}),
        ('GetParentContextsByContext',
         {'context_id': self.make.id_of('context')}),
        ('GetChildrenContextsByContext',
         {'context_id': self.make.id_of('context')}),
        (f'Get{name}s', {}),
        (self.dice.choice(TWICE), {'context_ids': self.make.ids_of('context')}),
    ])
    request = request_of(rpc, **fields)
    if rpc in TWICE:
      self.both.call_ours(rpc, request,
                          self.world.relatives(rpc, request.context_ids))
    else:
      self.both.call(rpc, request)

  def some_name(self, kind):
    node = self.dice.choice(self.world.nodes(kind))
    return {
        'type_name': node.type if self.make.maybe(0.9) else 'absent',
        f'{kind}_name': node.name or 'absent'
    }

  def some_external_ids(self, nodes):
    known = [node.external_id for node in nodes if node.external_id]
    return [self.dice.choice(known) if known and self.make.maybe(0.8) else
            self.make.pick('', 'absent', 'absent') for _ in self.make.times(3)]

  def list_nodes(self):
    """A listing with a filter, page after page."""
    kind = self.dice.choice(KINDS)
    forms = [f'Get{camel(kind)}s', f'Get{camel(kind)}sByType']
    if kind != 'context':
      forms.append(f'Get{camel(kind)}sByContext')
    rpc = self.dice.choice([forms[0]] * 4 + forms)
    request = request_of(rpc)
    if rpc.endswith('ByType'):
      request.type_name = self.make.type_name(kind)
    elif rpc.endswith('ByContext'):
      request.context_id = self.make.id_of('context')
    self.fill_list_options(request.options)
    query = self.filters.make(kind)
    request.options.filter_query = query.ours
    their_request = copy_of(request)
    their_request.options.filter_query = query.theirs
    self.queries += 1
    self.turn_pages(kind, rpc, request, their_request)

  def fill_list_options(self, options):
    options.max_result_size = self.dice.choice([3, 20, 100])
    if self.make.maybe(0.01):
      options.max_result_size = 0
    if self.make.maybe(0.9):
      options.order_by_field.field = self.dice.choice(
          [OrderBy.ID, OrderBy.ID, OrderBy.CREATE_TIME,
           OrderBy.LAST_UPDATE_TIME])
      options.order_by_field.is_asc = self.make.maybe()

  def turn_pages(self, kind, rpc, request, their_request):
    for page in range(4):
      code, theirs, ours = self.both.call(rpc, request, their_request)
      if page == 0 and code == 'OK' and getattr(ours, f'{kind}s'):
        self.queries_found += 1
      if code != 'OK' or not ours.next_page_token:
        return
      request.options.next_page_token = ours.next_page_token
      their_request.options.next_page_token = theirs.next_page_token
    if self.make.maybe(0.2):  # Another order than the token's is refused.
      for asked in (request, their_request):
        asked.options.order_by_field.is_asc ^= True
      self.both.call(rpc, request, their_request)

  # --- lineage ---------------------------------------------------------------

  def walk(self):
    request = request_of('GetLineageSubgraph')
    their_request = copy_of(request)
    options = request.lineage_subgraph_query_options
    start = self.dice.choice(['artifact', 'execution'])
    ids = ', '.join(map(str, self.make.ids_of(start) +
                        [self.make.id_of(start)]))
    if self.make.maybe(0.9):
      options.max_num_hops = self.dice.choice([0, 1, 2, 3, 5, 20, 100, -1])
    options.direction = self.dice.randrange(4)
    if self.make.maybe(0.3):
      request.read_mask.paths.extend(
          self.dice.sample(['artifacts', 'executions', 'events', 'contexts',
                            'attributions', 'associations', 'artifact_types',
                            'execution_types', 'context_types'], 3))
    their_request.CopyFrom(request)
    queries = {}
    if self.make.maybe(0.97):
      chosen = self.filters.make(start)
      queries[f'starting_{start}s'] = (
          (f'id IN ({ids})',) * 2 if self.make.maybe(0.6) else
          # Difference 5: not more than 100.
          (f'id <= 90 AND ({chosen.ours})', f'id <= 90 AND ({chosen.theirs})'))
    for kind in ('artifact', 'execution'):
      if self.make.maybe(0.25):
        queries[f'ending_{kind}s'] = self.filters.own(kind)
    include = self.make.maybe()
    for side, asked in enumerate((request, their_request)):
      for name, texts in queries.items():
        nodes = getattr(asked.lineage_subgraph_query_options, name)
        nodes.filter_query = texts[side]
        if name.startswith('ending'):
          nodes.include_ending_nodes = include
    self.both.call('GetLineageSubgraph', request, their_request)

  def walk_graph(self):
    """The deprecated walk."""
    request = request_of('GetLineageGraph')
    options = request.options
    their_options = mlmd.ListOperationOptions()
    if self.make.maybe(0.97):
      chosen = self.filters.own('artifact')
      for side, asked in enumerate(
          (options.artifacts_options, their_options)):
        asked.filter_query = chosen[side]
        asked.max_result_size = 5
    if self.make.maybe(0.6):
      options.max_node_size = self.dice.choice([1, 7, 1000])
    if self.make.maybe(0.6):
      options.stop_conditions.max_num_hops = self.dice.choice(
          [0, 1, 2, 3, 10, -1])
    if self.make.maybe(0.3):
      options.stop_conditions.boundary_artifacts = 'id < 40'
    if self.make.maybe(0.3):
      options.stop_conditions.boundary_executions = (
          'last_known_state IN (COMPLETE, RUNNING, NEW)')
    self.both.call_ours('GetLineageGraph', request,
                        self.world.lineage_graph(options, their_options))

  # --- the run ---------------------------------------------------------------

  def go(self, calls, queries):
    for i in range(calls):
      self.write()
      self.read()
      self.read()
      if i % 8 == 0:
        self.walk()
      if i % 10 == 0:
        self.write_if_unchanged()
      if i % 20 == 0:
        self.walk_graph()
    for i in range(queries):
      self.list_nodes()
      if i % 20 == 0:
        self.walk()

  def make_up(self, calls, queries):
    """Goes on for a while if something was tried too seldom."""
    for _ in range(50):
      if not list(self.missing()):
        return
      self.go(calls, queries)
    self.report()
    raise Difference('tried too seldom: ' + '; '.join(self.missing()))

  def missing(self):
    """What has been tried too seldom."""
    both = self.both
    yield from (f'{rpc}: {both.calls[rpc]} calls, {both.found[rpc]} found'
                for rpc in RPCS if both.calls[rpc] < CALLS_EACH or
                both.found[rpc] < FOUND_EACH)
    yield from (f'filters with {what}: {n}'
                for what, n in self.filters.used.items() if n < FILTER_USES)
    if self.queries < QUERIES:
      yield f'{self.queries} queries'
    if self.queries_found < QUERIES_FOUND * self.queries:
      yield f'{self.queries_found} of {self.queries} queries found something'

  def report(self):
    both = self.both
    print(f'{"call":34} {"calls":>7} {"found":>7} {"refused":>7}')
    for rpc in RPCS:
      print(f'{rpc:34} {both.calls[rpc]:7} {both.found[rpc]:7} '
            f'{both.refused[rpc]:7}')
    print(f'{"filters with":46} {"uses":>7}')
    for what, uses in self.filters.used.items():
      print(f'{what:46} {uses:7}')
    for number, title in both.allowed.titles.items():
      print(f'allowed difference {number:2} {both.allowed.used[number]:7} times:'
            f' {title}')
    print(f'{sum(both.calls.values())} calls; {self.queries} queries, '
          f'{self.queries_found} of them found something')


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument('rekindle', help='the program')
  parser.add_argument('--seed', type=int, default=random.randrange(2**31))
  parser.add_argument('--calls', type=int, default=1400)
  parser.add_argument('--queries', type=int, default=2100)
  parser.add_argument('--minutes', type=float, default=0,
                      help='repeat with the next seeds for so long')
  options = parser.parse_args()
  end = time.monotonic() + 60 * options.minutes
  seed = options.seed
  while True:
    print(f'seed {seed}', flush=True)
    run = play(options, seed)
    seed += 1
    if time.monotonic() >= end:
      run.report()
      return


def play(options, seed):
  with tempfile.TemporaryDirectory() as folder:
    run = Run(Both(folder, Allowed()), seed)
    for part in range(PARTS):
      with run.both.opened(options.rekindle):
        if part == 0:
          run.set_up()
        run.go(options.calls // PARTS, options.queries // PARTS)
        if part == PARTS - 1:
          run.make_up(options.calls // 10, options.queries // 20)
      run.both.swap_files()
      run.world.forget_all()
    return run


if __name__ == '__main__':
  try:
    main()
  except Difference as difference:
    sys.exit(f'DIFFERENCE {difference}')
