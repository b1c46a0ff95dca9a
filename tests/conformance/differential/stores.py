"""The two stores that must answer alike, and how their answers are compared."""

import bisect
import collections
import contextlib
import difflib
import os
import re
import signal
import subprocess
import time

from google.protobuf import text_format
from ml_metadata import errors
from ml_metadata import metadata_store
from ml_metadata.proto import metadata_store_pb2 as mlmd
from ml_metadata.proto import metadata_store_service_pb2 as service

KINDS = ('artifact', 'execution', 'context')
RPCS = sorted(
    method.name for method in
    service.DESCRIPTOR.services_by_name['MetadataStoreService'].methods)

# Times of real clocks; those that requests set are far below.
FIRST_REAL_TIME = 10**12
TIMES = ('create_time_since_epoch', 'last_update_time_since_epoch',
         'milliseconds_since_epoch')
# Of a type; the peer leaves them out of some answers.
SOMETIMES_MISSING = ('external_id', 'base_type', 'input_type', 'output_type')


class Difference(Exception):
  pass


def camel(kind):
  return kind.capitalize()


def request_of(rpc, **fields):
  return getattr(service, rpc + 'Request')(**fields)


def copy_of(message):
  copy = type(message)()
  copy.CopyFrom(message)
  return copy


def now_millis():
  return time.time_ns() // 1_000_000


# --- opening -----------------------------------------------------------------


def open_peer(path):
  config = mlmd.ConnectionConfig()
  config.sqlite.filename_uri = path
  config.sqlite.connection_mode = (
      mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE)
  return metadata_store.MetadataStore(config)


class OurServer:
  """`rekindle serve` on a file, until the end of the `with`."""

  def __init__(self, rekindle, path):
    self.command = [rekindle, 'serve', '--db', path, '--grpc-port', '0']

  def __enter__(self):
    self.process = subprocess.Popen(
        self.command, stdout=subprocess.PIPE, text=True)
    for line in self.process.stdout:
      listening = re.match(r'listening on grpc://(.+):(\d+)$', line)
      if listening:
        break
    else:
      raise Difference(f'{self.command} did not start')
    config = mlmd.MetadataStoreClientConfig(
        host=listening.group(1), port=int(listening.group(2)))
    return metadata_store.MetadataStore(config)

  def __exit__(self, *unused):
    self.process.send_signal(signal.SIGTERM)
    self.process.stdout.close()
    if self.process.wait(timeout=60) != 0:
      raise Difference(f'the server ended with {self.process.returncode}')


# --- comparing ---------------------------------------------------------------


def submessages(message):
  """The messages one level below."""
  for field, value in message.ListFields():
    if field.message_type is None:
      continue
    if field.message_type.GetOptions().map_entry:
      if field.message_type.fields_by_name['value'].message_type is not None:
        yield from value.values()
    elif field.label == field.LABEL_REPEATED:
      yield from value
    else:
      yield value


def sort_repeated(message):
  for field, value in message.ListFields():
    items = sorted(
        value, key=lambda item: item.SerializeToString(deterministic=True))
    message.ClearField(field.name)
    getattr(message, field.name).extend(items)


class Side:
  """One store on a file, and when the writes to that file began."""

  def __init__(self, path):
    self.store = None  # while it is open
    self.path = path
    self.writes = []  # The millisecond in which each write began.

  def ask(self, rpc, request):
    """Returns the code, the answer and the message of an error."""
    if rpc.startswith('Put'):
      self.writes.append(now_millis())
    answer = getattr(service, rpc + 'Response')()
    try:
      # pylint: disable-next=protected-access
      self.store._call_method(rpc, request, answer)
      return 'OK', answer, ''
    except errors.StatusError as error:
      return type(error).__name__, answer, str(error)

  def level(self, message):
    """Replaces clock times by the number of the write that they fall into."""
    for field, value in list(message.ListFields()):
      if field.name in TIMES and value >= FIRST_REAL_TIME:
        setattr(message, field.name, bisect.bisect_right(self.writes, value))
      elif field.name == 'next_page_token' and value:
        message.next_page_token = 'more'
      elif field.name == 'next_page_token':  # Empty or unset: no more.
        message.ClearField(field.name)
    for below in submessages(message):
      self.level(below)


class Both:
  """Asks two stores the same and compares all of what they answer."""

  def __init__(self, folder, allowed):
    self.peer = Side(os.path.join(folder, 'first.db'))
    self.ours = Side(os.path.join(folder, 'second.db'))
    self.allowed = allowed
    self.calls = collections.Counter()
    self.refused = collections.Counter()
    self.found = collections.Counter()  # OK, and not an empty answer

  @contextlib.contextmanager
  def opened(self, program):
    self.peer.store = open_peer(self.peer.path)
    with OurServer(program, self.ours.path) as self.ours.store:
      yield
    self.peer.store = self.ours.store = None

  def swap_files(self):
    """From now on each goes on with what the other one has written."""
    peer, ours = self.peer, self.ours
    peer.path, ours.path = ours.path, peer.path
    peer.writes, ours.writes = ours.writes, peer.writes

  def call(self, rpc, request, their_request=None):
    """Returns the code they agree on, the peer's and our answer."""
    if rpc.startswith('Put'):
      self.pass_millisecond()
    their_code, theirs, their_message = self.peer.ask(
        rpc, their_request or request)
    our_code, ours, our_message = self.ours.ask(rpc, request)
    left, right = copy_of(theirs), copy_of(ours)
    self.peer.level(left)
    self.ours.level(right)
    their_code = self.level_code(their_code, their_message)
    if (their_code == 'OK' and our_code == 'InvalidArgumentError' and
        not left.ListFields()):
      their_code = self.code_if_not_empty(rpc, their_request or request)
    self.level_answers(rpc, left, right)
    self.count(rpc, our_code, ours)
    if their_code != our_code or left != right:
      self.fail(rpc, request, f'{their_code} {their_message}',
                f'{our_code} {our_message}', left, right)
    return our_code, theirs, ours

  def call_ours(self, rpc, request, expected):
    """A call that the peer's embedded store lacks; `expected` is the answer
    that follows from others of its answers, or a code."""
    code, ours, message = self.ours.ask(rpc, request)
    self.count(rpc, code, ours)
    their_code, theirs = ((expected, type(ours)()) if isinstance(expected, str)
                          else ('OK', expected))
    self.peer.level(theirs)
    self.ours.level(ours)
    self.level_answers(rpc, theirs, ours)
    if their_code != code or theirs != ours:
      self.fail(rpc, request, their_code, f'{code} {message}', theirs, ours)

  def pass_millisecond(self):
    """No two writes share a millisecond, and one between them stays empty."""
    ended = now_millis()
    while now_millis() < ended + 2:
      time.sleep(0.0002)

  def count(self, rpc, code, answer):
    self.calls[rpc] += 1
    if code != 'OK':
      self.refused[rpc] += 1
    elif answer.ListFields() or not answer.DESCRIPTOR.fields:
      self.found[rpc] += 1

  def fail(self, rpc, request, theirs, ours, left, right):
    diff = '\n'.join(
        difflib.unified_diff(
            str(left).splitlines(), str(right).splitlines(), 'theirs', 'ours',
            n=6, lineterm=''))
    raise Difference(f'{rpc}\n{text_format.MessageToString(request)}'
                     f'theirs: {theirs}\nours: {ours}\n{diff}')

  def level_code(self, code, message):
    if ('UNIQUE constraint failed' in message or
        'Concurrent creation' in message):
      self.allowed.use(7)
      return 'AlreadyExistsError'
    return code

  def code_if_not_empty(self, rpc, request):
    """What the peer thinks of the options of a listing once it looks at them:
    it does not where a type or context holds nothing."""
    everywhere = re.sub('By(Type|Context)$', '', rpc)
    if everywhere == rpc:
      return 'OK'
    self.allowed.use(8)
    return self.peer.ask(everywhere,
                         request_of(everywhere, options=request.options))[0]

  def level_answers(self, rpc, left, right):
    if rpc == 'GetLineageSubgraph':
      left, right = left.lineage_subgraph, right.lineage_subgraph
    if rpc == 'GetLineageGraph':
      left, right = left.subgraph, right.subgraph
    for kind in KINDS:
      types = f'{kind}_types'
      if hasattr(left, types):
        self.level_types(getattr(left, types), getattr(right, types))
    # The order of what is found by a set of keys is nobody's promise.
    if (rpc.endswith(('ByID', 'ByURI', 'ByExternalIds')) or
        re.match('GetEvents|GetLineage', rpc)):
      sort_repeated(left)
      sort_repeated(right)
    if rpc.endswith('ContextsByContexts'):
      for message in (left, right):
        for near in message.contexts.values():
          sort_repeated(near)

  def level_types(self, theirs, ours):
    by_id = {item.id: item for item in ours}
    for item in theirs:
      match = by_id.get(item.id, item)
      for field, _ in match.ListFields():
        if field.name in SOMETIMES_MISSING and not item.HasField(field.name):
          self.allowed.use(6)
          item.MergeFrom(type(item)(**{field.name: getattr(match, field.name)}))
