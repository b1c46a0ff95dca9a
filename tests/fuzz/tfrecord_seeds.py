"""Writes seeds for tfrecord_fuzzer into a folder: examples, files of records, and the same packed.

    tfrecord_seeds.py FOLDER
"""

import gzip
import pathlib
import struct
import sys

PLAIN, GZIP, EXAMPLE = b"\x00", b"\x01", b"\x02"  # what the first byte tells the fuzzer


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def framed(record):
    length = struct.pack("<Q", len(record))
    return length + masked(length) + record + masked(record)


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def example(**lists):
    features = b"".join(field(1, field(1, name.encode()) + field(2, feature)) for name, feature in lists.items())
    return field(1, features)


EXAMPLES = [
    b"",
    example(a=field(1, field(1, b"text") + field(1, b""))),
    example(b=field(2, field(1, struct.pack("<2f", 1.5, -0.0)))),
    example(c=field(3, field(1, b"\x01\x96\x01"))),
    example(unpacked=field(3, b"\x08\x05\x08\x06") + field(2, b"\x0d" + struct.pack("<f", 3)), none=b""),
    example(empty=field(2, field(1, b""))),
    example(twice=field(3, field(1, b"\x07"))) + example(twice=field(1, field(1, b"x"))),
]


def main():
    folder = pathlib.Path(sys.argv[1])
    whole = b"".join(map(framed, EXAMPLES))
    seeds = [EXAMPLE + record for record in EXAMPLES]
    seeds += [PLAIN + whole, PLAIN + framed(EXAMPLES[1]), GZIP + gzip.compress(whole, mtime=0)]
    seeds += [GZIP + 2 * gzip.compress(framed(EXAMPLES[2]), mtime=0)]
    for number, seed in enumerate(seeds):
        (folder / ("seed-%d" % number)).write_bytes(seed)


if __name__ == "__main__":
    main()
