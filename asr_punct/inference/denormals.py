"""Treat denormal floats as zero while a model runs: they are frequent in attention weights, and slow on CPUs."""

import ctypes
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_FLUSH_TO_ZERO = 0x8040
"""Bits FTZ and DAZ of the MXCSR register: denormal results and operands become 0."""
_REGISTER = slice(28, 32)
"""Bytes of MXCSR in the `fenv_t` of glibc on x86-64."""
CAN_FLUSH = sys.platform == "linux" and platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"


@contextmanager
def flush_denormals() -> Iterator[None]:
    """Treat denormals as zero in this thread on Linux on x86-64; do nothing on other platforms."""
    if not CAN_FLUSH:
        yield
        return
    library = ctypes.CDLL("libm.so.6")
    before = ctypes.create_string_buffer(32)
    library.fegetenv(before)
    changed = bytearray(before.raw)
    register = int.from_bytes(changed[_REGISTER], "little") | _FLUSH_TO_ZERO
    changed[_REGISTER] = register.to_bytes(4, "little")
    library.fesetenv(bytes(changed))
    try:
        yield
    finally:
        library.fesetenv(before)
