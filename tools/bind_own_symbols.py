"""Binds a shared library's C++ functions and vtables to itself, ahead of time.

    bind_own_symbols.py LIBRARY

More than half of the time that TensorFlow's libraries take to load goes into looking up some 200,000 symbols of their own by name,
in case another library has them too. This writes down where they are, as the linker's -Bsymbolic would have done: relocations by
name become relative ones. What must be one and the same in all libraries of a process stays as it is: variables (among them the
statics inside of inline functions, which TensorFlow tells types apart by), the operators new and delete, and names of C.

The file is replaced as a whole; doing it twice changes nothing. Why: docs/adr/2026-11-17-tensorflow-bound-to-itself.md.
"""

import os
import shutil
import struct
import sys

import numpy as np

SYMBOL = np.dtype([("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")])
RELOCATION = np.dtype([("place", "<u8"), ("type", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])
ELF64_X86_64 = b"\x7fELF\x02\x01"
PT_LOAD, PT_DYNAMIC = 1, 2
DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_RELACOUNT = 5, 6, 7, 8, 0x6FFFFFF9
R_64, R_GLOB_DAT, R_RELATIVE = 1, 6, 8
STT_OBJECT, STT_FUNC = 1, 2


class Library:
    """The parts of an ELF file that its relocations are in."""

    def __init__(self, path):
        self.bytes = np.memmap(path, dtype="u1", mode="r+")
        head = self.bytes[:64].tobytes()
        if head[:6] != ELF64_X86_64 or struct.unpack_from("<H", head, 18)[0] != 62:
            raise ValueError("'%s' is no library for x86-64" % path)
        self.loads, self.dynamic = [], {}
        (first,), (count,) = struct.unpack_from("<Q", head, 32), struct.unpack_from("<H", head, 56)
        for place in range(first, first + 56 * count, 56):
            kind, _, offset, address, _, size, _, _ = struct.unpack("<IIQQQQQQ", self.bytes[place:place + 56].tobytes())
            if kind == PT_LOAD:
                self.loads.append((address, offset, size))
            elif kind == PT_DYNAMIC:
                self.entries = self.bytes[offset:offset + size].view("<u8").reshape(-1, 2)
        self.dynamic = {int(tag): int(value) for tag, value in self.entries}
        self.relocations = self.part(DT_RELA, self.dynamic[DT_RELASZ]).view(RELOCATION)
        symbols = int(self.relocations["symbol"].max()) + 1
        self.symbols = self.part(DT_SYMTAB, SYMBOL.itemsize * symbols).view(SYMBOL)

    def offset(self, address):
        return next(address - start + offset for start, offset, size in self.loads if start <= address < start + size)

    def part(self, tag, size):
        begin = self.offset(self.dynamic[tag])
        return self.bytes[begin:begin + size]

    def names(self, length):
        """The first characters of each symbol's name."""
        begin = self.offset(self.dynamic[DT_STRTAB])
        places = begin + self.symbols["name"].astype("i8")
        return np.stack([self.bytes[places + i] for i in range(length)], axis=1).view("S%d" % length).ravel()

    def own(self):
        """Which symbols are functions and vtables that are defined here and have a name of C++."""
        kind, names = self.symbols["info"] & 15, self.names(4)
        tables = np.isin(names, [b"_ZTV", b"_ZTI", b"_ZTS"])
        mangled = (names.astype("S2") == b"_Z") & ~np.isin(names.astype("S3"), [b"_Zn", b"_Zd"])
        return (self.symbols["section"] != 0) & mangled & ((kind == STT_FUNC) | ((kind == STT_OBJECT) & tables))

    def bind(self):
        """Makes relocations relative; how many were not."""
        table = self.relocations.copy()
        bound = np.isin(table["type"], [R_64, R_GLOB_DAT]) & self.own()[table["symbol"]]
        addends = np.where(table["type"] == R_64, table["addend"], 0) + self.symbols["value"][table["symbol"]].astype("i8")
        table["addend"][bound] = addends[bound]
        table["type"][bound], table["symbol"][bound] = R_RELATIVE, 0
        relative = table["type"] == R_RELATIVE
        # Relative ones come first, in the order of their places, and are counted: the loader has a loop of its own for them.
        first = table[relative]
        self.relocations[:] = np.concatenate([first[np.argsort(first["place"], kind="stable")], table[~relative]])
        self.entries[self.entries[:, 0] == DT_RELACOUNT, 1] = len(first)
        return int(bound.sum())


def main():
    path = sys.argv[1]
    copy = path + ".binding"
    try:
        shutil.copy2(path, copy)
        library = Library(copy)
        bound = library.bind()
        library.bytes.flush()
        if bound:
            shutil.copystat(path, copy)  # what was linked with it need not be linked again
            os.replace(copy, path)
        print("%s: bound %d relocations" % (os.path.basename(path), bound))
    except ValueError as error:
        print("bind_own_symbols: %s; it stays as it is" % error)
    finally:
        if os.path.exists(copy):
            os.remove(copy)


if __name__ == "__main__":
    main()
