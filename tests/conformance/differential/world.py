"""What is stored, as the peer tells it, and calls answered from that.

The peer's embedded store lacks three of the 52 calls. What they answer follows
from others of its answers.
"""

from ml_metadata.proto import metadata_store_pb2 as mlmd
from ml_metadata.proto import metadata_store_service_pb2 as service

from stores import camel
from stores import KINDS
from stores import request_of

MAX_HOPS = 100


class World:
  """Reads lazily, and again what it was told to `forget`: a kind of node, or
  'event'."""

  def __init__(self, both, dice):
    self.both = both
    self.dice = dice
    self.cache = {}

  def forget(self, what):
    self.cache.pop(what, None)

  def forget_all(self):
    self.cache.clear()

  def ask(self, rpc, **fields):
    code, answer, message = self.both.peer.ask(rpc, request_of(rpc, **fields))
    if code != 'OK':
      raise AssertionError(f'{rpc}: {code} {message}')
    return answer

  def remember(self, key, read):
    if key not in self.cache:
      self.cache[key] = read()
    return self.cache[key]

  def nodes(self, kind):
    return self.remember(
        kind, lambda: list(getattr(self.ask(f'Get{camel(kind)}s'), f'{kind}s')))

  def events(self):
    return self.remember(
        'event', lambda: list(
            self.ask('GetEventsByArtifactIDs',
                     artifact_ids=[n.id for n in self.nodes('artifact')]
                    ).events))

  def time(self):
    """A moment between two writes, as (on our clock, on the peer's)."""
    if self.dice.random() < 0.1:
      return (999_999_999_999_999,) * 2
    write = self.dice.randrange(len(self.both.ours.writes))
    return self.both.ours.writes[write] - 1, self.both.peer.writes[write] - 1

  def find(self, kind, filter_query):
    """The ids of the nodes that the peer finds."""
    options = mlmd.ListOperationOptions(
        filter_query=filter_query, max_result_size=100)
    ids = []
    while True:
      answer = self.ask(f'Get{camel(kind)}s', options=options)
      ids += [node.id for node in getattr(answer, f'{kind}s')]
      if not answer.next_page_token:
        return ids
      options.next_page_token = answer.next_page_token

  # --- the calls -------------------------------------------------------------

  def relatives(self, rpc, context_ids):
    """GetParentContextsByContexts and GetChildrenContextsByContexts."""
    answer = getattr(service, rpc + 'Response')()
    for context_id in context_ids:
      one = self.ask(rpc[:-1], context_id=context_id)
      if one.contexts:
        near = answer.contexts[context_id]
        field = near.DESCRIPTOR.fields[0].name
        near.ClearField(field)
        getattr(near, field).extend(one.contexts)
    return answer

  def lineage_graph(self, options, their_options):
    """GetLineageGraph: from artifacts outward, over nodes that pass."""
    stop = options.stop_conditions
    if not options.HasField('artifacts_options') or stop.max_num_hops < 0:
      return 'InvalidArgumentError'
    start = self.ask('GetArtifacts', options=their_options).artifacts
    if not start:
      return 'NotFoundError'
    kept = {'artifact': {n.id for n in start}, 'execution': set()}
    inside = {
        'artifact': self.inside('artifact', stop, 'boundary_artifacts'),
        'execution': self.inside('execution', stop, 'boundary_executions')
    }
    hops = stop.max_num_hops if stop.HasField('max_num_hops') else MAX_HOPS
    quota = options.max_node_size - len(start)
    events, frontier = [], kept['artifact']
    for hop in range(hops):
      here, there = (('artifact', 'execution') if hop % 2 == 0 else
                     ('execution', 'artifact'))
      near = [event for event in self.events()
              if getattr(event, f'{here}_id') in frontier]
      met = {getattr(event, f'{there}_id') for event in near} - kept[there]
      frontier = set(sorted(met & inside[there])[:max(quota, 0)])
      events += [e for e in near if getattr(e, f'{there}_id') in frontier]
      kept[there] |= frontier
      quota -= len(frontier)
      if not frontier:
        break
    return self.graph(kept, events)

  def inside(self, kind, stop, boundary):
    ids = {node.id for node in self.nodes(kind)}
    if not stop.HasField(boundary):
      return ids
    return ids - set(self.find(kind, f'NOT({getattr(stop, boundary)})'))

  def graph(self, kept, events):
    answer = service.GetLineageGraphResponse()
    graph = answer.subgraph
    for kind in ('artifact', 'execution'):
      getattr(graph, f'{kind}s').extend(
          node for node in self.nodes(kind) if node.id in kept[kind])
    graph.events.extend(events)
    for kind in KINDS:
      rpc = f'Get{camel(kind)}Types'
      getattr(graph, f'{kind}_types').extend(
          getattr(self.ask(rpc), f'{kind}_types'))
    return answer
