import pytest

pytest.importorskip("torch")

import torch

from asr_punct.errors import AsrPunctError
from asr_punct.model.device import has_bf16, open_device


@pytest.mark.parametrize(
    ("name", "expected"), [("gpu", "cpu, cuda, cuda:N or mps"), ("cuda:99", "a device that torch finds: ")]
)
def test_a_device_that_is_not_there_is_told(name, expected):
    with pytest.raises(AsrPunctError, match=f"--device: found '{name}', expected {expected}"):
        open_device(name)


@pytest.mark.parametrize(("avx512", "amx"), [(False, False), (True, False), (False, True)])
def test_an_x86_processor_has_bf16_where_an_instruction_computes_in_it(monkeypatch, avx512, amx):
    """oneDNN says that it has it wherever AVX-512 can emulate it."""
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: avx512)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx)
    assert has_bf16("cpu") is (avx512 or amx)


def test_a_gpu_has_bf16_where_it_does_not_emulate_it(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: including_emulation)
    assert not has_bf16("cuda")
    assert not has_bf16("mps")
