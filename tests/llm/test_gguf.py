"""What is wrong with a model file, or missing, is said before anything is loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graphrag_cli.config.settings import ChatModelSettings
from graphrag_cli.errors import SettingsError
from graphrag_cli.llm.build import gguf_chat
from graphrag_cli.llm.in_process import gguf
from tests.llm.doubles import WordCounter

SETTINGS = ChatModelSettings(model="small", provider="gguf")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.gguf") as caught:
        gguf_chat(SETTINGS, tmp_path / "none.gguf", WordCounter())
    assert "path" in (caught.value.hint or "")


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        gguf_chat(SETTINGS, tmp_path, WordCounter())


def test_another_kind_of_file_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"<html>not found</html>")
    with pytest.raises(SettingsError, match="not a GGUF file"):
        gguf_chat(SETTINGS, path, WordCounter())


def test_without_the_extra_the_command_that_installs_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF....")

    def found(_: str) -> None:
        return None

    monkeypatch.setattr(gguf, "find_spec", found)
    with pytest.raises(SettingsError, match="xllamacpp") as caught:
        gguf_chat(SETTINGS, path, WordCounter())
    assert "graphrag-cli[local]" in (caught.value.hint or "")


@pytest.mark.skipif(gguf.find_spec("xllamacpp") is None, reason="xllamacpp is not installed")
def test_making_the_model_loads_nothing(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF....")
    before = set(sys.modules)
    gguf_chat(SETTINGS, path, WordCounter())
    assert "xllamacpp" not in set(sys.modules) - before
