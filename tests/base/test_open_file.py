"""A pipe or a device in the place of a file is refused at once, by name."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.ai.samples import files
from gtp_variants.ai.samples.files import read_about
from gtp_variants.base import config_files
from gtp_variants.base.folders import open_file
from gtp_variants.errors import RecordError


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a matter of POSIX")
@pytest.mark.parametrize(
    ("name", "load"),
    [("game.sgf", gv.load), ("net.safetensors", gv.Network.load), ("match.yaml", config_files.load), ("a", open_file)],
)
def test_pipe_or_device_is_no_file(tmp_path: Path, name: str, load: Callable[[Path], object]) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises((OSError, RecordError), match="expected a file, got a pipe or a device"):
        load(tmp_path / name)
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to("/dev/zero")
    with pytest.raises((OSError, RecordError), match=f"{name}|pipe or a device"):
        load(tmp_path / name)


def test_arrays_that_are_too_large_when_unpacked_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bomb.npz"
    np.savez_compressed(file, about=np.zeros(2**20))
    assert file.stat().st_size < 2**16
    monkeypatch.setattr(files, "_MOST_UNPACKED", 2**20)
    with pytest.raises(
        RecordError, match=r"bomb.npz: cannot be read: expected at most 1048576 bytes when unpacked, got 8\d+"
    ):
        read_about(file)
