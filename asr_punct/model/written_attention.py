"""The attention of transformers' encoders, written out where a CPU trains them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from asr_punct.model.attention import attend

_NAME = "asr_punct"


def write_out_attention(encoder: nn.Module) -> None:
    """Let a transformers encoder train with `attend`, where it lets its attention be chosen; Funnel does not."""
    if isinstance(encoder, PreTrainedModel) and encoder._can_set_attn_implementation():
        encoder.set_attn_implementation(_NAME)


def _attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """transformers' interface to `attend`; whatever is not training an encoder is left to torch's attention."""
    is_plain = attention_mask is None or attention_mask.dtype == torch.bool
    if not (module.training and is_plain and query.device.type == "cpu"):
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **others
        )
    mixed = attend(query, key, value, attention_mask, dropout, scaling)
    return mixed.transpose(1, 2).contiguous(), None


AttentionInterface.register(_NAME, _attention)
AttentionMaskInterface.register(_NAME, sdpa_mask)
