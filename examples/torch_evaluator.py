"""An evaluator in PyTorch: a residual network over the neighbours of each point, for boards of any size.

python examples/torch_evaluator.py rosette:n=3
"""

import torch
from torch import nn

import gtp_variants as gv


class TapNetwork(nn.Module):
    """A network of residual blocks. A point's logit comes from its own features; pass and values from all of them."""

    def __init__(self, rules, channels=32, blocks=4):
        super().__init__()
        encoder = gv.Encoder(rules)
        self.taps, width = torch.from_numpy(encoder.taps.astype("int64")), encoder.taps.shape[1]
        self.special = len(encoder.actions) - len(rules.board)
        self.stem = nn.Linear(width * len(encoder.planes), channels)
        self.globals = nn.Linear(len(encoder.globals), channels)
        self.blocks = nn.ModuleList(nn.Linear(width * channels, channels) for _ in range(2 * blocks))
        self.points = nn.Linear(channels, 1)
        self.board = nn.Linear(2 * channels, self.special + len(rules.colours))

    def around(self, x):
        """Return the values at the taps of each point, with zeros beyond the edge: (n, points, taps * channels)."""
        return nn.functional.pad(x, (0, 0, 0, 1))[:, self.taps].flatten(2)

    def forward(self, planes, globals):
        x = torch.relu(self.stem(self.around(planes.transpose(1, 2))) + self.globals(globals)[:, None])
        for first, second in zip(self.blocks[::2], self.blocks[1::2], strict=True):
            x = torch.relu(x + second(self.around(torch.relu(first(self.around(x))))))
        board = self.board(torch.cat([x.mean(dim=1), x.amax(dim=1)], dim=1))
        policy, shares = board[:, : self.special], board[:, self.special :]
        return torch.cat([self.points(x)[..., 0], policy], dim=1), shares.softmax(dim=1)


class TorchEvaluator:
    """An evaluator that lets searches use the network. `device` may be "cuda"."""

    def __init__(self, rules, network, batch=64, device="cpu"):
        self.batch, self.device = batch, device
        self.network, self.order = network.to(device).eval(), torch.tensor(rules.colours)

    @torch.inference_mode()
    def evaluate(self, planes, globals, mask, to_play):
        logits, relative = self.network(*(torch.from_numpy(each).to(self.device) for each in (planes, globals)))
        logits = logits.cpu().masked_fill(~torch.from_numpy(mask), -torch.inf)
        # The network's values begin with the side to play, but a search expects them in turn order.
        seats = (torch.from_numpy(to_play)[:, None] == self.order).int().argmax(dim=1)
        steps = (torch.arange(len(self.order)) - seats[:, None]) % len(self.order)
        return logits.softmax(dim=1), relative.cpu().gather(1, steps)


if __name__ == "__main__":
    rules = gv.parse("rosette:n=3")
    found = gv.search(rules, rules.start(), playouts=200, seed=1, evaluator=TorchEvaluator(rules, TapNetwork(rules)))
    print(found.action, found.values)
