"""Rekindle's metadata store beside ml_metadata 1.17.1; see metadata_bench.

Both sides get the same requests, serialized beforehand, and give back
serialized answers: ours in bench_tool, the peer through the functions that its
Python client calls, whose own cost is measured by calling nothing and
subtracted. Rounds are interleaved, so that both see the same noise; a figure is
the median of the rounds, and so is a ratio.
"""

import argparse
import ctypes
import dataclasses
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from ml_metadata import metadata_store
from ml_metadata.metadata_store.pywrap.metadata_store_extension import metadata_store as pywrap
from ml_metadata.proto import metadata_store_pb2 as mlmd
from ml_metadata.proto import metadata_store_service_pb2 as service

ABORTED = 10
PARTS = ['writes', 'writers', 'reads', 'big']


def fsync_count():
  try:
    return ctypes.CDLL(None).rk_fsync_count()
  except AttributeError:
    sys.exit('metadata_bench: start it by tests/bench/metadata_bench')


@dataclasses.dataclass
class Run:
  seconds: float
  calls: int
  fsyncs: int = 0
  aborts: int = 0

  @property
  def per_second(self):
    return self.calls / self.seconds

  @property
  def millis(self):
    return self.seconds / self.calls * 1000


# --- the two sides -----------------------------------------------------------


class Peer:
  """ml_metadata's store on a file, without its Python client around it."""

  def __init__(self, path):
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = path
    config.sqlite.connection_mode = (
        mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE)
    self._store = metadata_store.MetadataStore(config)

  def call(self, method, message):
    answer, error, code = getattr(pywrap, method)(
        self._store._metadata_store, message)  # pylint: disable=protected-access
    if code:
      raise RuntimeError(f'{method}: {error.decode()}')
    return answer

  def replay(self, requests):
    handle = self._store._metadata_store  # pylint: disable=protected-access
    calls = [(getattr(pywrap, method), message) for method, message in requests]
    nothing = [(lambda store, message: (b'', b'', 0), message)
               for _, message in requests]
    before = fsync_count()
    seconds = replay_loop(handle, calls)
    fsyncs = fsync_count() - before
    return Run(seconds - replay_loop(handle, nothing), len(requests), fsyncs)


def replay_loop(handle, calls):
  start = time.perf_counter()
  for call, message in calls:
    _, error, code = call(handle, message)
    if code:
      raise RuntimeError(error.decode())
  return time.perf_counter() - start


class Bench:
  """Where files go, and our side."""

  def __init__(self, build, folder):
    self.build = build
    self.folder = folder
    self._files = 0

  def path(self, folder=None):
    self._files += 1
    return os.path.join(folder or self.folder, f'{self._files}')

  def tool(self, *arguments):
    done = subprocess.run(
        [os.path.join(self.build, 'bin/bench_tool'), *map(str, arguments)],
        stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)

  def replay(self, store, requests, threads=1):
    log = self.path()
    write_requests(log, requests)
    told = self.tool('replay', store, log, threads)
    os.remove(log)
    return Run(told['seconds'], told['calls'], told['fsyncs'])


def write_requests(path, requests):
  with open(path, 'wb') as log:
    for method, message in requests:
      log.write(f'{method} {len(message)}\n'.encode())
      log.write(message)


def read_requests(path):
  with open(path, 'rb') as log:
    while line := log.readline():
      method, size = line.decode().split()
      yield method, log.read(int(size))


def plain_copy(source, target):
  """The database as ml_metadata would have left it: nothing of ours in it."""
  shutil.copyfile(source, target)
  with sqlite3.connect(target) as db:
    ours = db.execute(
        "SELECT type, name FROM sqlite_master WHERE name LIKE 'rk\\_%' ESCAPE "
        "'\\' AND sql IS NOT NULL ORDER BY type = 'table'").fetchall()
    for kind, name in ours:
      db.execute(f'DROP {kind} IF EXISTS {name}')
  db.execute('PRAGMA journal_mode = DELETE')
  db.close()


# --- the requests ------------------------------------------------------------


def artifact(number, type_id):
  node = mlmd.Artifact(type_id=type_id, uri=f'/data/bench/{number}',
                       state=mlmd.Artifact.LIVE)
  node.properties['span'].int_value = number
  node.properties['accuracy'].double_value = 0.25
  node.properties['split'].string_value = 'train,eval'
  node.custom_properties['digest'].string_value = f'sha256:{number}'
  node.custom_properties['bytes'].int_value = number * 1000
  return node


def put_artifact(number, types):
  request = service.PutArtifactsRequest(artifacts=[artifact(number, types['Model'])])
  return 'PutArtifacts', request.SerializeToString()


def put_batch(number, types):
  request = service.PutArtifactsRequest(
      artifacts=[artifact(number * 1000 + i, types['Model']) for i in range(1000)])
  return 'PutArtifacts', request.SerializeToString()


def put_execution(number, types):
  """A step: reads an artifact that is there, writes one, in two contexts."""
  request = service.PutExecutionRequest(
      execution=mlmd.Execution(type_id=types['Trainer'],
                               last_known_state=mlmd.Execution.COMPLETE))
  request.execution.custom_properties['steps'].int_value = number
  read = request.artifact_event_pairs.add()
  read.event.artifact_id = 1
  read.event.type = mlmd.Event.INPUT
  read.event.path.steps.add().key = 'examples'
  wrote = request.artifact_event_pairs.add(artifact=artifact(number, types['Model']))
  wrote.event.type = mlmd.Event.OUTPUT
  wrote.event.path.steps.add().key = 'model'
  for name in ('busy', f'run-{number // 10}'):
    request.contexts.add(type_id=types['pipeline'], name=name)
  request.options.reuse_context_if_already_exist = True
  return 'PutExecution', request.SerializeToString()


def listing(filter_query, context_id=None):
  """The newest that passes the filter."""
  request = service.GetArtifactsRequest()
  method = 'GetArtifacts'
  if context_id is not None:
    request = service.GetArtifactsByContextRequest(context_id=context_id)
    method = 'GetArtifactsByContext'
  request.options.max_result_size = 1
  request.options.order_by_field.field = (
      mlmd.ListOperationOptions.OrderByField.CREATE_TIME)
  request.options.order_by_field.is_asc = False
  request.options.filter_query = filter_query
  return method, request.SerializeToString()


def latest(type_name, pipeline):
  return listing(f"type = '{type_name}' AND state = LIVE AND "
                 f"contexts_p.type = 'pipeline' AND contexts_p.name = '{pipeline}'")


def lineage(start, hops, direction):
  request = service.GetLineageSubgraphRequest()
  options = request.lineage_subgraph_query_options
  options.starting_artifacts.filter_query = f'id = {start}'
  options.max_num_hops = hops
  options.direction = direction
  return 'GetLineageSubgraph', request.SerializeToString()


def list_type(name):
  request = service.GetArtifactsByTypeRequest(type_name=name)
  return 'GetArtifactsByType', request.SerializeToString()


UPSTREAM = mlmd.LineageSubgraphQueryOptions.UPSTREAM
DOWNSTREAM = mlmd.LineageSubgraphQueryOptions.DOWNSTREAM


# --- the table ---------------------------------------------------------------


class Table:
  """Figures of both sides, printed as they come."""

  def __init__(self, as_json):
    self._as_json = as_json
    self._rows = []
    if not as_json:
      print(f'{"work":46}{"ml_metadata":>16}{"rekindle":>16}{"ratio":>9}{"target":>9}')

  def add(self, work, peer, ours, unit, target=None, bigger_is_better=True):
    """`peer` and `ours` are figures of the same rounds; `peer` may be empty."""
    ratios = [o / p if bigger_is_better else p / o for p, o in zip(peer, ours)]
    row = {'work': work, 'unit': unit,
           'ml_metadata': statistics.median(peer) if peer else None,
           'rekindle': statistics.median(ours),
           'ratio': statistics.median(ratios) if ratios else None,
           'target': target}
    self._rows.append(row)
    if self._as_json:
      return
    show = lambda x: '' if x is None else f'{x:,.3f}' if x < 10 else f'{x:,.0f}'
    ratio = '' if row['ratio'] is None else f'{row["ratio"]:,.1f}x'
    wanted = '' if target is None else f'{target}x'
    print(f'{work:46}{show(row["ml_metadata"]):>16}{show(row["rekindle"]):>16}'
          f'{ratio:>9}{wanted:>9}  {unit}', flush=True)

  def note(self, text):
    if not self._as_json:
      print(text, flush=True)

  def end(self):
    if self._as_json:
      print(json.dumps(self._rows, indent=2))


# --- writes ------------------------------------------------------------------


def type_ids(path):
  with sqlite3.connect(path) as db:
    return dict(db.execute('SELECT name, id FROM Type'))


def measure_writes(bench, table, folder, where, rounds, template, quick):
  types = type_ids(template)
  works = [('put one artifact', put_artifact, 100 if quick else 1000, 4),
           ('put_execution', put_execution, 50 if quick else 400, 4),
           ('batch of 1,000 artifacts', put_batch, 2 if quick else 10, 4)]
  for name, make, count, target in works:
    requests = [make(i, types) for i in range(count)]
    peer, ours = [], []
    for _ in range(rounds):
      peer.append(fresh_peer(bench, folder, template).replay(requests))
      ours.append(bench.replay(fresh_store(bench, folder, template), requests))
    table.add(f'{name}, {where}', [r.per_second for r in peer],
              [r.per_second for r in ours], 'calls/s', target)
    if where == 'disk':
      table.add(f'{name}: fsyncs a call', [r.fsyncs / r.calls for r in peer],
                [r.fsyncs / r.calls for r in ours], 'fsyncs',
                bigger_is_better=False)


def fresh_peer(bench, folder, template):
  path = bench.path(folder)
  plain_copy(template, path)
  return Peer(path)


def fresh_store(bench, folder, template):
  path = bench.path(folder)
  shutil.copyfile(template, path)
  return f'sqlite:{path}'


PROCESSES = 4
WRITERS = 16


def peer_processes(bench, folder, template, requests):
  """Four processes of the peer on one file: it has no server to share."""
  path = bench.path(folder)
  plain_copy(template, path)
  workers = []
  for i in range(PROCESSES):
    log = bench.path()
    write_requests(log, requests[i::PROCESSES])
    workers.append(subprocess.Popen(
        [sys.executable, __file__, '--peer-writer', path, log],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE))
  for worker in workers:
    worker.stdout.readline()  # It is ready.
  start = time.perf_counter()
  for worker in workers:
    worker.stdin.write(b'go\n')
    worker.stdin.flush()
  aborts = sum(int(worker.communicate()[0]) for worker in workers)
  return Run(time.perf_counter() - start, len(requests), aborts=aborts)


def peer_writer(path, log):
  requests = list(read_requests(log))
  peer = Peer(path)
  handle = peer._store._metadata_store  # pylint: disable=protected-access
  print('ready', flush=True)
  sys.stdin.readline()
  aborts = 0
  for method, message in requests:
    while True:
      _, error, code = getattr(pywrap, method)(handle, message)
      if not code:
        break
      if code != ABORTED:
        raise RuntimeError(error.decode())
      aborts += 1
  print(aborts)


class Server:
  """`rekindle serve` on a file, for as long as the block lasts."""

  def __init__(self, bench, path):
    self._process = subprocess.Popen(
        [os.path.join(bench.build, 'bin/rekindle'), 'serve', f'--db={path}',
         '--grpc-port=0', '--http-port=0'],
        stdout=subprocess.PIPE, text=True)
    listening = self._process.stdout.readline()
    prefix = 'listening on grpc://'
    if not listening.startswith(prefix):
      raise RuntimeError(f'rekindle serve does not say where it listens: {listening}')
    self.address = listening.removeprefix(prefix).strip()

  def memory(self, field='VmRSS'):
    with open(f'/proc/{self._process.pid}/status') as status:
      for line in status:
        if line.startswith(field):
          return int(line.split()[1]) / 1024
    raise RuntimeError(f'no {field}')

  def __enter__(self):
    return self

  def __exit__(self, *_):
    self._process.terminate()
    self._process.wait()


def measure_writers(bench, table, folder, rounds, template, quick):
  types = type_ids(template)
  few = [put_artifact(i, types) for i in range(200 if quick else 1000)]
  many = [put_artifact(i, types) for i in range(1000 if quick else 16000)]
  peer, ours, served = [], [], []
  for _ in range(rounds):
    peer.append(peer_processes(bench, folder, template, few))
    ours.append(bench.replay(fresh_store(bench, folder, template), many, WRITERS))
    path = fresh_store(bench, folder, template).removeprefix('sqlite:')
    with Server(bench, path) as server:
      served.append(bench.replay(f'grpc://{server.address}', many, WRITERS))
  speeds = [r.per_second for r in peer]
  table.add('16 writers, embedded, beside 4 processes', speeds,
            [r.per_second for r in ours], 'calls/s', 12)
  table.add('16 writers: fsyncs a call', [], [r.fsyncs / r.calls for r in ours],
            'fsyncs')
  table.add('16 clients of the server, beside 4 processes', speeds,
            [r.per_second for r in served], 'calls/s', 5)
  table.note(f'  the peer aborted {sum(r.aborts for r in peer)} calls, which were '
             'repeated; ours none')


# --- reads -------------------------------------------------------------------


def measure_reads(bench, table, size, database, graph, rounds, targets):
  works = [
      ('latest model', latest('Model', 'busy'), 'latest'),
      ('latest, only old ones LIVE', latest('OldModel', 'busy'), 'rare'),
      ('latest of a cold pipeline', latest('Model', 'cold'), 'rare'),
      ('lineage, 100 hops', lineage(graph['chain_end'], 100, UPSTREAM), 'lineage'),
      ('lineage, fan-out of 1,000', lineage(graph['fan_out'], 1, DOWNSTREAM), 'fan-out'),
      ('list a type, half of all', list_type('Examples'), 'list'),
  ]
  plain = bench.path()
  plain_copy(database, plain)
  peer_store = Peer(plain)
  for name, request, kind in works:
    if kind == 'list' and size > 100_000:
      continue  # One answer of half a million artifacts: nobody wants it.
    check_same(peer_store, bench, database, request)
    heavy = kind == 'list'
    peer, ours = [], []
    for _ in range(rounds):
      peer.append(peer_store.replay([request] * (1 if heavy else 3)).millis)
      ours.append(bench.replay(f'sqlite:{database}',
                               [request] * (3 if heavy else 200)).millis)
    table.add(f'{name}, {size:,} artifacts', peer, ours, 'ms', targets.get(kind),
              bigger_is_better=False)
    if kind in ('latest', 'rare') and size >= 1_000_000:
      table.note(f'  under 0.1 ms wanted: {statistics.median(ours):.3f} ms')
  os.remove(plain)


def check_same(peer, bench, database, request):
  """Both must have done the same work: answers of the same length."""
  log = bench.path()
  write_requests(log, [request])
  ours = bench.tool('replay', f'sqlite:{database}', log, 1)['answer_bytes']
  theirs = len(peer.call(*request))
  if ours != theirs:
    raise RuntimeError(f'{request[0]}: our answer has {ours} bytes, '
                       f'the peer\'s {theirs}')


def measure_python_client(bench, table, folder, rounds, template, quick):
  """The same stock Python client on both; a user sees this, but no target."""
  types = type_ids(template)
  count = 50 if quick else 300

  def puts(store):
    start = time.perf_counter()
    for i in range(count):
      store.put_artifacts([artifact(i, types['Model'])])
    return count / (time.perf_counter() - start)

  peer, ours = [], []
  for _ in range(rounds):
    peer.append(puts(fresh_peer(bench, folder, template)._store))  # pylint: disable=protected-access
    path = fresh_store(bench, folder, template).removeprefix('sqlite:')
    with Server(bench, path) as server:
      host, port = server.address.rsplit(':', 1)
      config = mlmd.MetadataStoreClientConfig(host=host, port=int(port))
      ours.append(puts(metadata_store.MetadataStore(config)))
  table.add('put by the Python client: embedded / our server', peer, ours, 'calls/s')


def measure_server(bench, table, big, database, idle_path):
  with Server(bench, idle_path) as server:
    table.note(f'server, idle: {server.memory():.1f} MB resident (target: under 30)')
  with Server(bench, database) as server:
    told = bench.tool('gets-during-listing', f'grpc://{server.address}', big)
    table.note(
        f'server, while {told["listed"]:,} artifacts were listed in '
        f'{told["seconds"]:.1f} s: {told["gets"]:,} gets, p50 '
        f'{told["p50_millis"]:.2f} ms, p99 {told["p99_millis"]:.2f} ms; at most '
        f'{server.memory("VmHWM"):.1f} MB resident')


def main():
  parser = argparse.ArgumentParser(prog='metadata_bench', description=__doc__)
  parser.add_argument('--build', required=True, help=argparse.SUPPRESS)
  parser.add_argument('--quick', action='store_true', help='small and short')
  parser.add_argument('--rounds', type=int, default=5, help='(default: 5)')
  parser.add_argument('--sizes', default='1000,10000,100000',
                      help='artifacts in the store for reads of both sides')
  parser.add_argument('--big', type=int, default=1_000_000,
                      help='artifacts in the largest store')
  parser.add_argument('--disk', default=None, metavar='FOLDER',
                      help='a folder on a real disk (default: the build folder)')
  parser.add_argument('--memory', default='/dev/shm', metavar='FOLDER',
                      help='a folder in memory')
  parser.add_argument('--only', choices=PARTS, action='append',
                      help='one part; may be repeated')
  parser.add_argument('-o', dest='format', choices=['table', 'json'], default='table')
  args = parser.parse_args()
  if args.quick:
    args.rounds, args.sizes, args.big = 1, '1000', 2000
  sizes = [int(size) for size in args.sizes.split(',')]
  table = Table(args.format == 'json')
  with tempfile.TemporaryDirectory(dir=args.memory) as memory, \
       tempfile.TemporaryDirectory(dir=args.disk or args.build) as disk:
    run(args, sizes, Bench(args.build, memory), disk, table)
  table.end()


def run(args, sizes, bench, disk, table):
  parts = args.only or PARTS
  template = bench.path()
  bench.tool('generate', f'sqlite:{template}', 100)
  if 'writes' in parts:
    for where, folder in (('tmpfs', bench.folder), ('disk', disk)):
      measure_writes(bench, table, folder, where, args.rounds, template, args.quick)
  if 'writers' in parts:
    measure_writers(bench, table, disk, args.rounds, template, args.quick)
    measure_python_client(bench, table, disk, args.rounds, template, args.quick)
  if 'reads' in parts:
    for size in sizes:
      targets = {'latest': 500, 'lineage': 40, 'fan-out': 10, 'list': 5}
      measure_size(bench, table, size, args.rounds,
                   targets if size == 100_000 else {})
  if 'big' in parts:
    database = measure_size(bench, table, args.big, min(args.rounds, 3),
                            {'lineage': 200})
    measure_server(bench, table, args.big, database, template)


def measure_size(bench, table, size, rounds, targets):
  """Reads of a store of that size; returns its path."""
  database = bench.path()
  graph = bench.tool('generate', f'sqlite:{database}', size)
  measure_reads(bench, table, size, database, graph, rounds, targets)
  return database


if __name__ == '__main__':
  if len(sys.argv) == 4 and sys.argv[1] == '--peer-writer':
    peer_writer(*sys.argv[2:])
  else:
    main()
