"""For users of NeMo: what its models transcribe, with marks and capitals. Nothing here needs NeMo itself."""

from __future__ import annotations

from asr_punct.nemo.hypotheses import punctuate_hypotheses
from asr_punct.nemo.manifests import punctuate_manifest

__all__ = ["punctuate_hypotheses", "punctuate_manifest"]
