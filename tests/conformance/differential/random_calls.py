"""Random requests that write, over small pools of names and ids."""

import random

from ml_metadata.proto import metadata_store_pb2 as mlmd

from stores import KINDS

NAMES = [f'n{i}' for i in range(12)]
VALUES = ['alpha', 'beta', "it's", 'gämma', 'a_b%c']
PROPERTY_TYPES = {
    'i': mlmd.INT,
    'd': mlmd.DOUBLE,
    's': mlmd.STRING,
    'b': mlmd.BOOLEAN,
    'st': mlmd.STRUCT,
    'pr': mlmd.PROTO,
}
# Of the types that exist after set-up; nine came with the store.
FIRST_TYPE = {'artifact': 10, 'execution': 13, 'context': 16}
TYPES_PER_KIND = 3


class Generator:
  """`stored` holds the ids of what is stored, by kind; `by_external_id` those
  of artifacts."""

  def __init__(self, seed):
    self.dice = random.Random(seed)
    self.stored = {kind: [] for kind in KINDS}
    self.by_external_id = {}

  def maybe(self, chance=0.5):
    return self.dice.random() < chance

  def pick(self, *choices):
    return self.dice.choice(choices)

  def times(self, most):
    return range(self.dice.randrange(most + 1))

  def id_of(self, kind, wrong=0.03):
    if self.maybe(wrong) or not self.stored[kind]:
      return self.pick(0, 99_999)  # Not -1: difference 3.
    return self.pick(*self.stored[kind])

  def ids_of(self, kind, most=4):
    return [self.id_of(kind) for _ in self.times(most)]

  def type_id(self, kind, wrong):
    if self.maybe(wrong):
      return self.pick(99_999, 11, 14, 17)
    return FIRST_TYPE[kind] + self.dice.randrange(TYPES_PER_KIND)

  def type_name(self, kind):
    return f'{kind}{self.dice.randrange(3)}' if self.maybe(0.95) else 'absent'

  # --- types -----------------------------------------------------------------

  def fill_type(self, kind, item):
    if self.maybe(0.97):
      item.name = f'{kind}{self.dice.randrange(6)}'
    if self.maybe(0.3):
      item.version = self.pick('', 'v1', 'v2')
    if self.maybe(0.2):
      item.external_id = f'{kind} type {self.dice.randrange(30)}'
    if self.maybe(0.2):
      item.description = self.pick(*VALUES)
    if kind != 'context' and self.maybe(0.1):
      item.base_type = self.dice.randrange(5 if kind == 'artifact' else 6)
    for name, property_type in PROPERTY_TYPES.items():
      if self.maybe(0.93):
        item.properties[name] = property_type
    if self.maybe(0.04):
      item.properties['i'] = mlmd.STRING
    if self.maybe(0.2):
      item.properties[f'p{self.dice.randrange(3)}'] = mlmd.INT
    if kind == 'execution' and self.maybe(0.2):
      self.fill_struct_type(item.input_type)
      self.fill_struct_type(item.output_type)

  def fill_struct_type(self, struct):
    form = self.dice.randrange(4)
    if form == 0:
      struct.any.SetInParent()
    elif form == 1:
      struct.none.SetInParent()
    elif form == 2:
      struct.simple.name = self.pick(*VALUES)
    else:
      struct.dict.properties[self.pick(*NAMES)].simple.name = 'artifact0'

  def fill_evolution(self, request):
    if self.maybe(0.8):
      request.can_add_fields = self.maybe(0.8)
      request.can_omit_fields = self.maybe(0.8)
    if self.maybe(0.02):
      request.all_fields_match = False

  def put_type(self, kind, request):
    self.fill_type(kind, getattr(request, f'{kind}_type'))
    self.fill_evolution(request)

  def put_types(self, request):
    for kind in KINDS:
      for _ in self.times(1):
        self.fill_type(kind, getattr(request, f'{kind}_types').add())
    self.fill_evolution(request)

  # --- nodes -----------------------------------------------------------------

  def fill_value(self, value, property_type):
    if property_type == mlmd.INT:
      value.int_value = self.dice.randrange(-3, 4)
    elif property_type == mlmd.DOUBLE:
      value.double_value = self.pick(0.5, -1.25, 3.0, 100.125)  # Difference 1.
    elif property_type == mlmd.STRING:
      value.string_value = self.pick(*VALUES)
    elif property_type == mlmd.BOOLEAN:
      value.bool_value = self.maybe()
    elif property_type == mlmd.STRUCT:
      value.struct_value['k'] = self.pick(*VALUES)
      value.struct_value['l'] = [1.5, None, True]
    else:  # Difference 4: always with a type_url.
      value.proto_value.Pack(mlmd.Event(artifact_id=self.dice.randrange(9)))

  def fill_node(self, kind, node, new=0.6, wrong=0.02):
    if self.maybe(new):
      node.type_id = self.type_id(kind, wrong)
    else:
      node.id = self.id_of(kind, wrong)
      if self.maybe(0.3):
        node.type_id = self.type_id(kind, wrong)
    if kind == 'context' or self.maybe(0.4):
      node.name = f'{self.pick(*NAMES)}{self.dice.randrange(400)}'
      if self.maybe(wrong):
        node.name = ''
    if self.maybe(0.2):
      node.external_id = f'x{self.dice.randrange(600)}'
    if kind == 'artifact' and self.maybe(0.7):
      node.uri = self.pick('u0', 'u1', 'u2', 'a/b')
    if kind == 'artifact' and self.maybe(0.7):
      node.state = self.dice.randrange(len(mlmd.Artifact.State.keys()))
    if kind == 'execution' and self.maybe(0.7):
      node.last_known_state = self.dice.randrange(
          len(mlmd.Execution.State.keys()))
    self.fill_properties(node, wrong)
    return node

  def fill_properties(self, node, wrong):
    for name, property_type in PROPERTY_TYPES.items():
      if self.maybe(0.3):
        self.fill_value(node.properties[name], property_type)
      if self.maybe(0.15):  # Difference 12: other names than the declared.
        self.fill_value(node.custom_properties['c' + name], property_type)
    if self.maybe(wrong):
      self.fill_value(node.properties['i'], mlmd.STRING)
    if self.maybe(wrong):
      node.properties['undeclared'].int_value = 1

  def mask(self, request):
    if self.maybe(0.5):
      return
    request.update_mask.paths.extend(
        self.dice.sample([
            'uri', 'state', 'last_known_state', 'external_id', 'properties',
            'custom_properties', 'properties.i', 'properties.s',
            'custom_properties.cd', 'name'
        ], self.dice.randrange(1, 4)))

  def place(self, node):
    """Sorts nodes by id, new ones last. The peer reads its clock for each node,
    we for each call: in this order their update times sort alike."""
    return node.id or self.by_external_id.get(node.external_id, 10**9)

  def put_nodes(self, kind, request):
    nodes = getattr(request, f'{kind}s')
    for _ in self.times(3):
      self.fill_node(kind, nodes.add())
    nodes.sort(key=self.place)
    self.mask(request)

  # --- events, edges and subgraphs -------------------------------------------

  def fill_event(self, event):
    if self.maybe(0.99):
      event.type = self.dice.randrange(len(mlmd.Event.Type.keys()))
    if self.maybe(0.2):
      event.milliseconds_since_epoch = self.dice.randrange(1, 1000)
    for _ in self.times(2):
      if self.maybe():
        event.path.steps.add(key=self.pick(*VALUES))
      else:
        event.path.steps.add(index=self.dice.randrange(3))

  def put_events(self, request):
    for _ in self.times(2):
      event = request.events.add()
      self.fill_event(event)
      if self.maybe(0.98):
        event.artifact_id = self.id_of('artifact')
      if self.maybe(0.98):
        event.execution_id = self.id_of('execution')

  def put_execution(self, request):
    if self.maybe(0.98):
      self.fill_node('execution', request.execution, new=0.7, wrong=0.005)
    for _ in self.times(2):
      self.fill_pair(request.artifact_event_pairs.add())
    for _ in self.times(2):
      self.fill_node('context', request.contexts.add(), new=0.8, wrong=0.005)
    request.artifact_event_pairs.sort(key=lambda p: self.place(p.artifact))
    request.contexts.sort(key=self.place)
    if self.maybe(0.7):
      self.fill_reuse(request.options)
      request.options.force_update_time = self.maybe()
      request.options.force_reuse_context = self.maybe()

  def fill_pair(self, pair):
    if self.maybe(0.7):
      self.fill_node('artifact', pair.artifact, new=0.7, wrong=0.005)
      if self.maybe(0.7):
        self.fill_event(pair.event)
        if self.maybe(0.05):
          pair.event.artifact_id = self.id_of('artifact')
    elif self.maybe(0.9):
      self.fill_event(pair.event)
      pair.event.artifact_id = self.id_of('artifact', wrong=0)  # Difference 3.

  def fill_reuse(self, options):
    options.reuse_context_if_already_exist = self.maybe()
    options.reuse_artifact_if_already_exist_by_external_id = self.maybe()

  def put_lineage_subgraph(self, request):
    for kind, most in (('execution', 2), ('artifact', 2), ('context', 1)):
      nodes = getattr(request, f'{kind}s')
      for _ in self.times(most):
        self.fill_node(kind, nodes.add(), new=0.97, wrong=0.004)
      nodes.sort(key=self.place)
    for _ in self.times(2):
      edge = request.event_edges.add()
      if self.maybe(0.99):
        self.fill_event(edge.event)
      for kind in ('execution', 'artifact'):
        nodes = getattr(request, f'{kind}s')
        if self.maybe(0.7) and nodes:
          setattr(edge, f'{kind}_index', self.index(nodes))
        else:  # Difference 3.
          setattr(edge.event, f'{kind}_id', self.id_of(kind, wrong=0))
    if self.maybe():
      self.fill_reuse(request.options)

  def index(self, nodes):
    return self.dice.randrange(len(nodes)) if self.maybe(0.98) else len(nodes)

  def put_attributions_and_associations(self, request):
    for _ in self.times(2):
      request.attributions.add(
          artifact_id=self.id_of('artifact'), context_id=self.id_of('context'))
      request.associations.add(
          execution_id=self.id_of('execution'),
          context_id=self.id_of('context'))

  def put_parent_contexts(self, request):
    for _ in range(self.dice.randrange(1, 3)):
      edge = request.parent_contexts.add(
          child_id=self.id_of('context', 0.01),
          parent_id=self.id_of('context', 0.01))
      if self.maybe(0.02):
        edge.ClearField('parent_id')
