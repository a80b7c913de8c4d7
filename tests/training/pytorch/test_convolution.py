"""The convolution of a graphics card, in Triton's interpreter where there is none: exact in every number."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
pytest.importorskip("triton", reason="Triton is not installed")

CHECK = """
import torch
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.rules import parse
from gtp_variants.training.pytorch.convolution import convolve

torch.set_num_threads(1)
draw = torch.Generator().manual_seed(1)
def whole(low, high, *size, dtype):
    return torch.randint(low, high, size, generator=draw).to(dtype)

device = "cuda" if torch.cuda.is_available() else "cpu"
for spec, inputs, outputs in ("go:size=9", 26, 32), ("pentalath", 48, 48), ("rosette:n=2", 128, 128):
    near = torch.tensor(Encoder(parse(spec)).taps, dtype=torch.int32)
    (points, taps), boards = near.shape, 5
    x = whole(0, 128, boards, points, inputs, dtype=torch.int8)
    weights = whole(-20, 21, taps * inputs, outputs, dtype=torch.float16)
    bias = whole(-4000, 4000, outputs, dtype=torch.int32)
    told = whole(-4000, 4000, boards, outputs, dtype=torch.int32)
    residual = whole(0, 128, boards, points, outputs, dtype=torch.int8)
    padded = torch.cat([x, x.new_zeros((boards, 1, inputs))], 1).float()
    around = padded.index_select(1, near.flatten()).view(boards * points, -1)
    sums = (around @ weights.float()).view(boards, points, -1).to(torch.int32) + bias
    for is_told, has_residual in (False, False), (True, False), (False, True):
        expected = (sums + is_told * told[:, None] + 64 >> 7) + has_residual * residual
        given = [each.to(device) for each in (x, weights, bias, near)]
        rest = told.to(device) if is_told else None, residual.to(device) if has_residual else None
        assert torch.equal(convolve(*given, *rest).cpu(), expected.clamp(0, 127).to(torch.int8)), spec
"""


def test_it_is_exact() -> None:
    import torch

    environment = os.environ | ({} if torch.cuda.is_available() else {"TRITON_INTERPRET": "1"})
    subprocess.run([sys.executable, "-c", CHECK], check=True, env=environment, timeout=300)
