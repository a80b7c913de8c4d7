"""Self-play on a cluster: the same games and weights as here, whatever happens to its workers."""

import pickle
import sys
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from gtp_variants._version import __version__
from gtp_variants.ai.backend import load_native
from gtp_variants.base.installation import install_command
from gtp_variants.base.processes import dask_cluster
from gtp_variants.base.processes.dask_cluster import DaskCluster, open_cluster, read_executor
from gtp_variants.cli import main
from gtp_variants.errors import ConfigError

pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
pytest.importorskip("gtp_variants.ai.kernel._kernel", reason="the native kernel was not built")
if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("plain Python was chosen", allow_module_level=True)

from gtp_variants.training import cluster_self_play
from gtp_variants.training.cluster_self_play import ClusterFailed, find_missing
from gtp_variants.training.settings import TrainingSettings
from gtp_variants.training.trainer import Trainer
from tests.support.tls_cluster import make_certificate, need_dask, tls_cluster
from tests.training.test_trainer import SMALL, train, weights

DEEP = replace(SMALL, deep_share=0.25, deep_playouts=12)
HIDDEN = TrainingSettings(("phantom:size=5",), channels=16, blocks=1, positions=200, batch=64, playouts=16)


class KilledWorker(Exception):
    """As Dask's."""


class FakeClient:
    """Works at once in this process; what travels is packed as it is for other machines.

    `losses` tasks are lost with their workers before the first is done.
    """

    def __init__(self, threads: int, losses: int = 0) -> None:
        self.threads, self.losses, self.tasks = threads, losses, 0

    def nthreads(self) -> dict[str, int]:
        return {"one": self.threads}

    def submit(self, work: Callable[..., Any], *given: Any, pure: bool) -> Future[Any]:
        future: Future[Any] = Future()
        self.tasks += 1
        if self.losses:
            self.losses -= 1
            future.set_exception(KilledWorker())
        else:
            try:
                future.set_result(pickle.loads(pickle.dumps(work(*pickle.loads(pickle.dumps(given))))))
            except Exception as error:
                future.set_exception(pickle.loads(pickle.dumps(error)))
        return future


def cluster(client: FakeClient) -> DaskCluster:
    return DaskCluster(client, SimpleNamespace(KilledWorker=KilledWorker))


@pytest.mark.long
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(SMALL, id="open"),
        pytest.param(DEEP, id="deep"),
        pytest.param(HIDDEN, id="hidden", marks=pytest.mark.slow),
    ],
)
def test_a_cluster_brings_the_same_weights(tmp_path: Path, settings: TrainingSettings) -> None:
    settings = replace(settings, chunk=6)
    train(tmp_path / "here", 2, settings)
    client = FakeClient(threads=1, losses=3)
    trainer = Trainer(settings, tmp_path / "there", 1, cluster(client))
    trainer.run(lambda: trainer.progress.iteration >= 2, lambda progress: None)
    assert weights(tmp_path / "here", 2) == weights(tmp_path / "there", 2)
    assert client.tasks > 4
    # The folder goes on without the cluster.
    train(tmp_path / "here", 3, settings)
    assert train(tmp_path / "there", 3, settings).progress.iteration == 3
    assert weights(tmp_path / "here", 3) == weights(tmp_path / "there", 3)


def test_time_elsewhere_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(*task: Any) -> Any:
        games, _ = genuine(*task)
        return games, 1000.0

    genuine = cluster_self_play._play
    monkeypatch.setattr(cluster_self_play, "_play", play)
    client = FakeClient(threads=2)
    monkeypatch.setattr(client, "submit", lambda run, *given, pure: _done(run(*given)))
    trainer = Trainer(replace(SMALL, positions=100), tmp_path, 1, cluster(client))
    trainer.run(lambda: trainer.progress.iteration >= 1, lambda progress: None)
    assert trainer.progress.self_play_s > 1000


def _done(result: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(result)
    return future


def test_workers_that_die_in_every_game_are_reported(tmp_path: Path) -> None:
    client = FakeClient(threads=1, losses=10_000)
    trainer = Trainer(SMALL, tmp_path, 1, cluster(client))
    with pytest.raises(ClusterFailed, match="games were not played: KilledWorker; the same command continues"):
        trainer.run(lambda: trainer.progress.iteration >= 1, lambda progress: None)
    assert trainer.progress.iteration == 0
    client.losses = 0
    trainer.run(lambda: trainer.progress.iteration >= 1, lambda progress: None)
    assert trainer.progress.iteration == 1


def test_workers_that_end_are_not_counted_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those on this machine are processes of the trainer, and their time comes with their games."""
    trainer = Trainer(SMALL, tmp_path, 1, cluster(FakeClient(threads=1)))
    monkeypatch.setattr("os.times", lambda: SimpleNamespace(user=1, system=2, children_user=1000, children_system=2000))
    assert trainer._processor_s() == 3
    assert Trainer(SMALL, tmp_path, 1)._processor_s() == 3003


@pytest.mark.parametrize(
    ("there", "fault"),
    [
        ({"tcp://a": (__version__, [])}, None),
        ({"tcp://a": ("0.0.1", [])}, f"worker tcp://a has gtp-variants 0.0.1, this is {__version__}"),
        (
            {"tcp://a": (__version__, []), "tcp://b": (__version__, ["compiled kernel", "numpy"])},
            "worker tcp://b has no compiled kernel and no numpy",
        ),
        ({}, "it has no workers; `dask worker tcp://s` starts one"),
    ],
)
def test_packages_missing_on_workers_are_reported_at_once(
    monkeypatch: pytest.MonkeyPatch, there: dict[str, tuple[str, list[str]]], fault: str | None
) -> None:
    class Client:
        scheduler = SimpleNamespace(address="tcp://s")

        def __init__(self, address: str, security: object) -> None:
            assert (address, security) == ("tcp://s:1", None)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *error: object) -> None:
            pass

        def wait_for_workers(self, number: int, timeout: float) -> None:
            if len(there) < number:
                raise TimeoutError

        def run(self, work: Callable[..., Any], *given: object) -> Any:
            assert work(*given) == (__version__, [])
            return there

    monkeypatch.setitem(sys.modules, "dask", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Client))
    monkeypatch.setattr(dask_cluster, "_check_scheduler", lambda *asked: None)
    if fault is None:
        # A match needs nothing but the package.
        for needed in (find_missing, None):
            with open_cluster("dask:tcp://s:1", 1, find_missing=needed) as found:
                assert isinstance(found.client, Client)
        return
    with pytest.raises(ConfigError, match=fault), open_cluster("dask:tcp://s:1", 1, find_missing=find_missing):
        pass


def test_a_dask_failure_is_reported_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def client(address: str, security: object) -> None:
        raise TypeError("the scheduler lacks a module")

    monkeypatch.setitem(sys.modules, "dask", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=client))
    monkeypatch.setattr(dask_cluster, "_check_scheduler", lambda *asked: None)
    with (
        pytest.raises(ConfigError, match="executor: tls://host:8786: the scheduler lacks a module"),
        open_cluster("dask:tls://host:8786", 1),
    ):
        pass


def test_task_fails_on_a_worker_of_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    client = FakeClient(threads=1)
    assert cluster(client).submit(divmod, 7, 2).result() == (3, 1)
    monkeypatch.setattr(dask_cluster, "__version__", "0.0.1")
    with pytest.raises(RuntimeError, match=f"has gtp-variants 0.0.1, expected {__version__}"):
        dask_cluster._run_task(__version__, divmod, b"not unpickled")


@pytest.mark.parametrize("files", [("--tls-ca", "ca.pem"), ("--tls-ca", "a", "--tls-cert", "b", "--tls-key", "c")])
def test_tls_files_need_each_other_and_a_tls_address(
    files: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["train", "go:size=5", "--into", str(tmp_path / "into"), "--executor", "dask", *files])
    assert "expected all three, with --executor dask:tls://HOST:PORT" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["local", "dask", "dask:tcp://127.0.0.1:8786", "dask:tls://host:8786"])
def test_an_executor_is_read(word: str) -> None:
    assert read_executor(word) == word


@pytest.mark.parametrize(
    "word", ["", "ray", "dask:", "dask:http://host:1", "dask:tcp://", "dask:tcp://127.0.0.1", "dask:tcp://a:b", "Local"]
)
def test_another_executor_is_refused(word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        read_executor(word)
    with pytest.raises(SystemExit):
        main(["train", "go:size=5", "--into", str(tmp_path / "into"), "--executor", word])
    expected = f"local, dask, dask:tls://HOST:PORT or dask:tcp://HOST:PORT, not {word!r}"
    assert f"--executor: expected {expected}" in capsys.readouterr().err
    assert not (tmp_path / "into").exists()


def test_without_dask_training_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["train", "go:size=5", "--into", str(tmp_path / "into"), "--executor", "dask"]) == 2
    assert install_command("dask") in capsys.readouterr().err
    assert not (tmp_path / "into").exists()


@pytest.mark.long
def test_machines_with_tls_bring_the_same_weights(tmp_path: Path) -> None:
    need_dask()
    train(tmp_path / "here", 2)
    files = make_certificate(tmp_path / "tls")
    with tls_cluster(files, 2) as machines, open_cluster(f"dask:{machines.address}", 1, files) as found:
        assert found.threads == 2
        trainer = Trainer(SMALL, tmp_path / "there", 1, found)
        trainer.run(lambda: trainer.progress.iteration >= 1, lambda progress: None)
        machines.kill_worker()
        trainer.run(lambda: trainer.progress.iteration >= 2, lambda progress: None)
    assert weights(tmp_path / "here", 2) == weights(tmp_path / "there", 2)
    assert trainer.progress.self_play_s > 0


@pytest.mark.slow
def test_dask_brings_the_same_weights(tmp_path: Path) -> None:
    need_dask()
    train(tmp_path / "here", 2)
    with open_cluster("dask", 2) as found:
        assert found.threads == 2
        trainer = Trainer(SMALL, tmp_path / "there", 1, found)
        trainer.run(lambda: trainer.progress.iteration >= 2, lambda progress: None)
    assert weights(tmp_path / "here", 2) == weights(tmp_path / "there", 2)
    assert trainer.progress.self_play_s > 0
