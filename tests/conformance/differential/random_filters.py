"""Random filter queries, each as we are asked it and as the peer is.

Most are the same text twice. Times differ, because the clocks of the two stores
do. And what the peer cannot do (docs/differences-from-mlmd.md) it is asked in
other words: by the ids of the nodes that must be found.
"""

import collections
import typing

from ml_metadata.proto import metadata_store_pb2 as mlmd

STRING, INT, DOUBLE, BOOL, TIME = 'string', 'int', 'double', 'bool', 'time'
STATES = mlmd.Artifact.State.keys()
EXECUTION_STATES = mlmd.Execution.State.keys()
EVENT_TYPES = [name for name in mlmd.Event.Type.keys()
               if name not in ('UNKNOWN', 'PENDING_OUTPUT')]
UNKNOWN_TO_PEER = ('ABANDONED', 'REFERENCE')

COMMON = {
    'id': INT, 'type_id': INT, 'type': STRING, 'name': STRING,
    'external_id': STRING, 'create_time_since_epoch': TIME,
    'last_update_time_since_epoch': TIME
}
FIELDS = {
    'artifact': dict(COMMON, uri=STRING, state=STATES),
    'execution': dict(COMMON, last_known_state=EXECUTION_STATES),
    'context': COMMON,
}


class Neighbour(typing.NamedTuple):
  kind: str
  fields: dict  # all that we know
  unknown_to_peer: tuple = ()


MEMBERS_LACK = ('type_id', 'external_id')
RELATIVES_LACK = MEMBERS_LACK + ('create_time_since_epoch',
                                 'last_update_time_since_epoch')
CONTEXTS = Neighbour('context', COMMON, MEMBERS_LACK)
RELATIVES = Neighbour('context', COMMON, RELATIVES_LACK)
NEIGHBOURS = {
    'artifact': {
        'contexts': CONTEXTS,
        'events': Neighbour('event', {
            'type': EVENT_TYPES, 'execution_id': INT,
            'milliseconds_since_epoch': TIME}),
    },
    'execution': {
        'contexts': CONTEXTS,
        'events': Neighbour('event', {
            'type': EVENT_TYPES, 'artifact_id': INT,
            'milliseconds_since_epoch': TIME}),
    },
    'context': {
        'artifacts': Neighbour('artifact', FIELDS['artifact'], MEMBERS_LACK),
        'executions': Neighbour('execution', FIELDS['execution'],
                                MEMBERS_LACK),
        'parent_contexts': RELATIVES,
        'child_contexts': RELATIVES,
    },
}
PROPERTIES = {INT: 'i', DOUBLE: 'd', STRING: 's', BOOL: 'b'}

ORDERED = ('<', '<=', '>', '>=')
TESTS = {
    '=': lambda value, literals: value == literals[0],
    '!=': lambda value, literals: value != literals[0],
    '<>': lambda value, literals: value != literals[0],
    '<': lambda value, literals: value < literals[0],
    '<=': lambda value, literals: value <= literals[0],
    '>': lambda value, literals: value > literals[0],
    '>=': lambda value, literals: value >= literals[0],
    'IN': lambda value, literals: value in literals,
    'NOT IN': lambda value, literals: value not in literals,
    'BETWEEN': lambda value, literals: literals[0] <= value <= literals[1],
    'NOT BETWEEN':
        lambda value, literals: not literals[0] <= value <= literals[1],
}
NEGATIVE = ('!=', '<>', 'NOT IN')
WRONG = [
    'bogus = 1', 'id =', "id = 'x'", '(', 'name LIKE 3', 'id IN ()',
    'contexts_.id = 1', 'id = NULL', 'properties.i = 1', 'id = 1 id = 2',
    "name = 'open", 'artifacts_a.bogus = 1', 'id', 'name = name = name',
    "type_id LIKE '1'", 'id = 1 AND', 'NOT', 'id IS 3', 'events_a = 1'
]


def everything():
  """All that must be used: fields by kind, neighbours, properties, operators."""
  for kind, fields in FIELDS.items():
    yield from (f'{kind} {field}' for field in fields)
    for name, neighbour in NEIGHBOURS[kind].items():
      yield from (f'{kind} {name} {field}' for field in neighbour.fields)
    for path in ('properties', 'custom_properties'):
      yield from (f'{kind} {path} {value}' for value in PROPERTIES)
  for op in (*TESTS, 'LIKE', 'NOT LIKE', 'IS NULL', 'IS NOT NULL', 'AND', 'OR',
             'NOT'):
    yield f'operator {op}'


class Text(typing.NamedTuple):
  """A filter, as asked of each."""
  ours: str
  theirs: str


class Literal(typing.NamedTuple):
  ours: str
  theirs: str
  value: object  # as the peer stores it


def both(text):
  return Text(text, text)


def join(word, parts):
  return Text(*(f'({f" {word} ".join(texts)})' for texts in zip(*parts)))


def quote(text, mark="'"):
  return mark + text.replace('\\', '\\\\').replace(mark, '\\' + mark) + mark


def by_id(prefix, ids):
  """A filter of just these ids, in the words of both."""
  ids = sorted(set(ids)) or [-1]
  return f'{prefix}id IN ({", ".join(map(str, ids))})'


class Filters:
  """Random filters over what is stored; counts what they use.

  `world` knows what is stored: nodes(kind), events(), find(kind, filter) and
  time(), a moment on both clocks.
  """

  def __init__(self, dice, world, allowed):
    self.dice = dice
    self.world = world
    self.allowed = allowed
    self.used = collections.Counter({what: 0 for what in everything()})
    self.enum_tested = False  # in the filter that is being made
    self.event_type_tested = False
    self.reworded = False

  def maybe(self, chance):
    return self.dice.random() < chance

  def use(self, what):
    self.used[what] += 1

  def rarer(self, choices, key):
    """One of two at random, the one used less."""
    choices = list(choices)
    first, second = self.dice.choice(choices), self.dice.choice(choices)
    return first if self.used[key(first)] <= self.used[key(second)] else second

  # --- tests -----------------------------------------------------------------

  def value_of(self, kind, field):
    """The value of a field of some stored node."""
    nodes = self.world.nodes(kind)
    having = [n for n in nodes if n.HasField(field)] if nodes else []
    return getattr(self.dice.choice(having), field) if having else None

  def literal(self, value_type, kind, field):
    if isinstance(value_type, list):
      name = self.dice.choice(value_type)
      return Literal(name, name, name)
    if value_type == TIME:
      ours, theirs = self.world.time()
      return Literal(str(ours), str(theirs), theirs)
    if value_type == DOUBLE:
      text = self.dice.choice(['0.5', '-1.25', '3', '1e2'])
      return Literal(text, text, float(text))
    if value_type == BOOL:
      text = self.dice.choice(['true', 'FALSE'])
      return Literal(text, text, text == 'true')
    value = None
    if field is not None and self.maybe(0.75):
      value = self.value_of(kind, field)
    if value_type == INT:
      if value is None:
        value = self.dice.choice([-1, 0, 1, 2, 3, self.dice.randrange(4, 50)])
      return Literal(str(value), str(value), value)
    if value is None:
      value = self.dice.choice(['u0', 'alpha', "it's", 'n1', 'first 3'])
    text = quote(value, self.dice.choice('\'"'))
    return Literal(text, text, value)

  def operators(self, value_type):
    choices = ['!=', '<>', 'NOT IN']
    if value_type != TIME:
      choices += ['=', 'IN', 'IN']
    if value_type in (INT, DOUBLE, TIME, STRING):
      choices += [*ORDERED, *ORDERED, 'BETWEEN', 'NOT BETWEEN']
    return choices

  def compare(self, prefix, field, value_type, kind, reworded):
    """A test of one field of the node itself or of the neighbour `prefix`;
    reworded for the peer as one of ids if it does not know the field."""
    source = None if kind == 'event' else field
    op = self.rarer(self.operators(value_type), lambda op: f'operator {op}')
    if op == '<>' and field == 'type' and kind == 'event':
      op = '!='  # Difference 10, and events have no ids.
    self.use(f'operator {op}')
    count = {'IN': 8, 'NOT IN': 3}.get(op)
    count = (2 if op.endswith('BETWEEN') else 1) if count is None else (
        self.dice.randrange(1, count))
    literals = [self.literal(value_type, kind, source) for _ in range(count)]
    ours = self.write(prefix + field, op, [item.ours for item in literals])
    if isinstance(value_type, list) and kind != 'event':
      reworded = reworded or self.peer_stumbles(prefix, op, literals)
      self.enum_tested = True
    if not reworded:
      return Text(
          ours, self.write(prefix + field, op,
                           [item.theirs for item in literals]))
    self.allowed.use(10)
    self.reworded = True
    values = [item.value for item in literals]
    return Text(ours, by_id(prefix, self.passing(kind, field, op, values)))

  def write(self, field, op, literals):
    if op.endswith('IN'):
      return f'{field} {op} ({", ".join(literals)})'
    if op.endswith('BETWEEN'):
      return f'{field} {op} {literals[0]} AND {literals[1]}'
    return f'{field} {op} {literals[0]}'

  def peer_stumbles(self, prefix, op, literals):
    """Whether the peer fails at this test of a state: not all of them, not with
    <>, not twice, and not those of neighbours with a negative."""
    return (self.enum_tested or op == '<>' or
            any(item.value in UNKNOWN_TO_PEER for item in literals) or
            (prefix != '' and op in NEGATIVE))

  def passing(self, kind, field, op, values):
    """The ids of the nodes of which the test is true."""
    field_type = FIELDS[kind][field]
    for node in self.world.nodes(kind):
      if not node.HasField(field):
        # A state that is not set is another one than any.
        if isinstance(field_type, list) and op in NEGATIVE:
          yield node.id
        continue
      value = getattr(node, field)
      if isinstance(field_type, list):
        value = field_type[value]
      if TESTS[op](value, values):
        yield node.id

  def like(self, name, field, kind):
    op = self.rarer(['LIKE', 'NOT LIKE'], lambda op: f'operator {op}')
    self.use(f'operator {op}')
    pattern = self.dice.choice(['u%', '%a%', 'n1%', '%1_', 'first%', '%'])
    if field == 'type':
      pattern = self.dice.choice([kind + '%', '%1', kind + '_'])
    return both(f'{name} {op} {quote(pattern)}')

  # --- parts -----------------------------------------------------------------

  def own(self, kind):
    field = self.rarer(FIELDS[kind], lambda field: f'{kind} {field}')
    self.use(f'{kind} {field}')
    if self.maybe(0.12):
      op = self.dice.choice(['IS NULL', 'IS NOT NULL', 'IS NOT NULL'])
      self.use(f'operator {op}')
      return both(f'{field} {op}')
    value_type = FIELDS[kind][field]
    if value_type == STRING and self.maybe(0.3):
      return self.like(field, field, kind)
    return self.compare('', field, value_type, kind, reworded=False)

  def near(self, kind, alias=None):
    names = NEIGHBOURS[kind]
    name, field = self.rarer(
        [(name, field) for name in names for field in names[name].fields],
        lambda choice: f'{kind} {choice[0]} {choice[1]}')
    prefix = f'{name}_{alias or self.dice.choice("ab0")}.'
    parts = [self.near_test(kind, name, prefix, field)]
    if self.maybe(0.4):
      field = self.rarer(names[name].fields,
                         lambda field: f'{kind} {name} {field}')
      parts.append(self.near_test(kind, name, prefix, field))
    return self.join(parts)

  def near_test(self, kind, name, prefix, field):
    neighbour = NEIGHBOURS[kind][name]
    if name == 'events' and field == 'type':
      if self.event_type_tested:  # Difference 10: not twice.
        field = 'milliseconds_since_epoch'
      self.event_type_tested = True
    self.use(f'{kind} {name} {field}')
    value_type = neighbour.fields[field]
    reworded = field in neighbour.unknown_to_peer
    if value_type == STRING and not reworded and self.maybe(0.3):
      return self.like(prefix + field, field, neighbour.kind)
    return self.compare(prefix, field, value_type, neighbour.kind, reworded)

  def property(self, kind):
    path, value_type = self.rarer(
        [(path, value) for path in ('properties', 'custom_properties')
         for value in PROPERTIES],
        lambda choice: f'{kind} {choice[0]} {choice[1]}')
    self.use(f'{kind} {path} {value_type}')
    name = PROPERTIES[value_type]
    if path == 'custom_properties':  # Difference 12: not the same names.
      name = f'`c{name}`'
    field = f'{path}.{name}.{value_type}_value'
    if self.maybe(0.1):
      return self.missing_property(kind, path, name.strip('`'), field,
                                   value_type)
    return self.compare_property(field, value_type)

  def compare_property(self, field, value_type):
    op = self.rarer(self.operators(value_type), lambda op: f'operator {op}')
    self.use(f'operator {op}')
    literals = [self.property_literal(value_type) for _ in range(2)]
    return both(self.write(field, op, literals))

  def property_literal(self, value_type):
    if value_type == INT:
      return str(self.dice.randrange(-3, 4))
    if value_type == STRING:
      return quote(self.dice.choice(['alpha', 'beta', "it's", 'gämma']))
    return self.literal(value_type, None, None).ours

  def missing_property(self, kind, path, name, field, value_type):
    """Difference 9: a property that is not there is NULL."""
    self.allowed.use(9)
    self.use('operator IS NULL')
    missing = [
        node.id for node in self.world.nodes(kind)
        if name not in getattr(node, path) or
        not getattr(node, path)[name].HasField(value_type + '_value')
    ]
    return Text(f'{field} IS NULL', by_id('', missing))

  def pending_output(self, kind):
    """Difference 10: an event type the peer does not know."""
    self.allowed.use(10)
    self.use(f'{kind} events type')
    ids = [getattr(event, f'{kind}_id') for event in self.world.events()
           if event.type == mlmd.Event.PENDING_OUTPUT]
    return Text('events_p.type = PENDING_OUTPUT', by_id('', ids))

  def either(self, kind):
    """Difference 9: an OR of things that not every node has."""
    self.allowed.use(9)
    self.use('operator OR')
    alias = f'apart{self.used["operator OR"]}'  # The parts are tried alone.
    parts = [self.property(kind), self.near(kind, alias)]
    ids = [i for part in parts for i in self.world.find(kind, part.theirs)]
    ours = join('OR', parts).ours
    return Text(ours, by_id('', ids))

  def owns(self, kind):
    self.reworded = False
    parts = [self.own(kind) for _ in range(self.dice.randrange(1, 4))]
    joined = self.join(parts, ['OR', 'OR', 'AND'])
    # NULL is not among the ids, and then not the same when turned around.
    if self.reworded or self.maybe(0.7):
      return joined
    self.use('operator NOT')
    return Text(f'NOT {joined.ours}', f'NOT {joined.theirs}')

  def join(self, parts, words=('AND', 'OR')):
    if len(parts) > 1:
      word = self.dice.choice(words)
      self.use(f'operator {word}')
      return join(word, parts)
    return join('', parts)

  def make(self, kind):
    """A filter of nodes of the kind, as a Text."""
    self.enum_tested = False
    self.event_type_tested = False
    makers = [self.owns, self.near, self.property, self.either]
    weights = [4, 4 if kind == 'context' else 3, 2, 1]
    if kind != 'context':
      makers.append(self.pending_output)
      weights.append(0.3)
    chosen = self.dice.choices(makers, weights, k=1 + self.maybe(0.2))
    parts = [maker(kind) for maker in chosen]
    if self.maybe(0.03):
      parts.append(both(self.dice.choice(WRONG)))
    if len(parts) > 1:
      self.use('operator AND')
    return Text(*(' AND '.join(texts) for texts in zip(*parts)))
