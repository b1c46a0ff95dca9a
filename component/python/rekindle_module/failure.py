"""Why a child of ours failed, as the executor contract says it."""

import errno

# Canonical codes (absl::StatusCode).
UNKNOWN = 2
INVALID_ARGUMENT = 3
NOT_FOUND = 5
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
UNAVAILABLE = 14
DATA_LOSS = 15

# Words of docs/failures.md.
MODULE_UNUSABLE = "MODULE_UNUSABLE"
MODULE_RAISED = "MODULE_RAISED"
PACKAGE_MISSING = "PACKAGE_MISSING"
CHILD_EXIT_CODE = "CHILD_EXIT_CODE"
OUT_OF_MEMORY = "OUT_OF_MEMORY"
DISK_FULL = "DISK_FULL"
NO_OUTPUT = "NO_OUTPUT"
INVALID_OUTPUT = "INVALID_OUTPUT"
REWRITE_FAILED = "REWRITE_FAILED"
NO_GPU = "NO_GPU"


class Failure(Exception):
    """One sentence for the user, a canonical code, and a word that a program can act on."""

    def __init__(self, reason, message, code=FAILED_PRECONDITION):
        super().__init__(message)
        self.reason = reason
        self.code = code

    def to_json(self):
        return {"code": self.code, "message": str(self), "reason": self.reason}


def of_resources(error):
    """The word and the code of an exception that says that memory or the disk ran out; None of any other."""
    if isinstance(error, MemoryError) or getattr(error, "error_code", None) == RESOURCE_EXHAUSTED:
        return OUT_OF_MEMORY, RESOURCE_EXHAUSTED
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DISK_FULL, RESOURCE_EXHAUSTED
    return None


def one_line(error):
    """What an exception says, for a sentence."""
    return " ".join(str(error).split())[:400]
