#!/usr/bin/env python3
"""Run `asr-punct tune` with the same arguments."""

from __future__ import annotations

import sys

from asr_punct.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "tune")
    main()
