"""Addresses at which games are published, and how programs of the same user find their server."""

import stat
from pathlib import Path

import pytest

from gtp_variants.errors import ConfigError
from gtp_variants.players.publisher import Address, Place, address_file, announce, parse_address

LINE = "http://127.0.0.1:8361/#publish=abcdefghijklmnop"


def test_an_address_is_read_as_it_is_written() -> None:
    address = parse_address(f" {LINE}\n")
    assert address == Address("http://127.0.0.1:8361", "abcdefghijklmnop")
    assert address.line == LINE
    assert parse_address("https://[::1]/#publish=" + "k" * 20).url == "https://[::1]"


@pytest.mark.parametrize(
    "text",
    ["", "8361", "ftp://127.0.0.1/#publish=abcdefghijklmnop", "http://127.0.0.1:8361/", "http:///#publish=" + "k" * 20,
     "http://127.0.0.1:99999/#publish=abcdefghijklmnop", "http://h/#publish=short", "http://[/#publish=" + "k" * 20,
     "http://h/#publish=" + "k" * 5000],
)  # fmt: skip
def test_an_invalid_address_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected an address such as"):
        parse_address(text)


def test_a_server_says_where_it_is_and_keeps_its_key(tmp_path: Path) -> None:
    store = tmp_path / "web.sqlite3"
    first = announce(store, "http://127.0.0.1:1000")
    file = address_file(store)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert parse_address(file.read_text()) == first
    again = announce(store, "http://127.0.0.1:2000")
    assert (again.url, again.key) == ("http://127.0.0.1:2000", first.key)
    file.write_text("nonsense")
    assert announce(store, "http://127.0.0.1:1000").key != first.key


def test_a_place_is_an_address_or_a_file_that_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Place(LINE).find() == parse_address(LINE)
    with pytest.raises(ConfigError, match="nowhere"):
        Place("nowhere")
    (tmp_path / "other").write_text("no address")
    with pytest.raises(ConfigError, match="expected an address"):
        Place(str(tmp_path / "other"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    place = Place()
    assert place.find() is None
    (tmp_path / "gtp-variants").mkdir()
    announce(tmp_path / "gtp-variants" / "web.sqlite3", "http://127.0.0.1:1000")
    found = place.find()
    assert found is not None
    assert found.url == "http://127.0.0.1:1000"


def test_address_is_never_seen_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "web.sqlite3"
    first = announce(store, "http://127.0.0.1:1000")
    seen = []
    replace = Path.replace

    def look_and_replace(path: Path, target: Path) -> Path:
        seen.append(address_file(store).read_text())
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", look_and_replace)
    again = announce(store, "http://127.0.0.1:2000")
    assert [*seen, address_file(store).read_text()] == [f"{first.line}\n", f"{again.line}\n"]
    assert [path.name for path in tmp_path.iterdir()] == [address_file(store).name]
