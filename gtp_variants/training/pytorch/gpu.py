"""Whether there is a GPU that networks can be trained on."""

import torch


def check_gpu() -> str:
    """Make a small convolution on the GPU; its name. Raises whatever PyTorch, its driver or Triton raise."""
    if not torch.cuda.is_available():
        raise OSError(f"PyTorch {torch.__version__} finds none")
    from gtp_variants.training.pytorch.convolution import convolve

    made = {"device": "cuda", "dtype": torch.int32}
    x, near = torch.ones((1, 16, 16), dtype=torch.int8, device="cuda"), torch.zeros((16, 1), **made)
    convolve(x, torch.ones((16, 16), dtype=torch.float16, device="cuda"), torch.zeros(16, **made), near)
    torch.cuda.synchronize()
    return str(torch.cuda.get_device_name())
