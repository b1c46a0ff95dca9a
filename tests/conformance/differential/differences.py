"""Where we differ from ml_metadata on purpose.

The list is docs/differences-from-mlmd.md, one section per difference, and it is
read from there: code that allows for one names its number.
"""

import collections
import os
import re

DOCUMENT = os.path.join(
    os.path.dirname(__file__), '..', '..', '..', 'docs',
    'differences-from-mlmd.md')
MOST = 12


def read_document():
  with open(DOCUMENT, encoding='utf-8') as file:
    return file.read()


def read_titles():
  """Titles of the differences by number."""
  titles = {int(number): title for number, title in
            re.findall(r'^## (\d+)\. (.+)$', read_document(), re.MULTILINE)}
  if sorted(titles) != list(range(1, len(titles) + 1)) or len(titles) > MOST:
    raise AssertionError(f'{DOCUMENT} numbers its sections {sorted(titles)}, '
                         f'not 1 to at most {MOST}')
  return titles


class Allowed:
  """Counts how often each difference was allowed for."""

  def __init__(self):
    self.titles = read_titles()
    self.used = collections.Counter()

  def use(self, number):
    if number not in self.titles:
      raise AssertionError(f'difference {number} is not documented')
    self.used[number] += 1
