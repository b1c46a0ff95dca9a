"""Runs the examples of docs/differences-from-mlmd.md against both stores.

  python mlmd_differences_test.py REKINDLE

Each must print, with ml_metadata's embedded store and with our server, what the
document says.
"""

import contextlib
import io
import multiprocessing
import os
import re
import signal
import sys
import tempfile

from differences import read_document
from differences import read_titles
from stores import open_peer
from stores import OurServer

SECTION = re.compile(r'^## (\d+)\. ', re.MULTILINE)
PYTHON = re.compile(r'```python\n(.*?)```', re.DOTALL)
PRINTED = re.compile(r'```\nml_metadata  (.*)\nRekindle     (.*)\n```')


def read_examples():
  """Returns the lines before each example, and by number (example, what
  ml_metadata prints, what we print)."""
  before, *sections = SECTION.split(read_document())
  examples = {}
  for number, text in zip(sections[::2], sections[1::2]):
    printed = PRINTED.search(text)
    examples[int(number)] = (PYTHON.search(text).group(1), *printed.groups())
  if sorted(examples) != sorted(read_titles()):
    raise AssertionError('a difference lacks its example')
  return PYTHON.search(before).group(1), examples


def run_example(code, open_store, output):
  """In a process of its own: an example may end it."""
  text = io.StringIO()
  with open_store as store, contextlib.redirect_stdout(text):
    exec(code, {'store': store})  # pylint: disable=exec-used
  output.send('; '.join(text.getvalue().splitlines()))


def printed_by(code, open_store):
  receive, send = multiprocessing.Pipe(duplex=False)
  process = multiprocessing.Process(
      target=run_example, args=(code, open_store, send))
  process.start()
  send.close()
  try:
    printed = receive.recv()
  except EOFError:
    printed = None
  process.join()
  if process.exitcode < 0:
    return f'ended by {signal.Signals(-process.exitcode).name}'
  return printed


@contextlib.contextmanager
def peer_store(path):
  yield open_peer(path)


def main():
  rekindle = sys.argv[1]
  before, examples = read_examples()
  failures = 0
  for number, (code, theirs, ours) in examples.items():
    with tempfile.TemporaryDirectory() as folder:
      for who, expected, open_store in (
          ('ml_metadata', theirs, peer_store(os.path.join(folder, 'peer.db'))),
          ('Rekindle', ours,
           OurServer(rekindle, os.path.join(folder, 'ours.db')))):
        printed = printed_by(before + code, open_store)
        verdict = 'ok' if printed == expected else f'FAILED, not {expected}'
        failures += printed != expected
        print(f'{number:2} {who:12} {printed}  {verdict}', flush=True)
  if failures:
    sys.exit(f'{failures} examples print something else than documented')


if __name__ == '__main__':
  multiprocessing.set_start_method('fork')
  main()
