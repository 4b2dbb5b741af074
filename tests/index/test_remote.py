"""An index in an object store, read from a real S3-compatible server on this machine."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from graphrag_cli.config.settings import Settings
from graphrag_cli.errors import IndexDataError, VectorError
from graphrag_cli.index.open import open_snapshot
from graphrag_cli.index.places import RemotePlace, Store, azure_account, azure_store, place_of
from graphrag_cli.index.vectors.index_vectors import IndexVectors
from tests.kit.snapshots import facts, opened
from tests.kit.tiny import tables, vector, write_index, write_tables
from tests.kit.versions import as_version

S3 = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """URL of the server; skipped where moto is not installed."""
    moto: Any = pytest.importorskip("moto.server")
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An empty bucket, and an environment in which it is found."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_ENDPOINT_URL": server,
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    boto3: Any = importlib.import_module("boto3")
    s3 = boto3.resource("s3", endpoint_url=server)
    made = s3.Bucket("tests")
    made.create()
    made.objects.all().delete()
    return made


def upload(bucket: Any, folder: Path, prefix: str) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            bucket.upload_file(str(path), f"{prefix}/{path.relative_to(folder).as_posix()}")


def settings_at(tmp_path: Path, url: str) -> Settings:
    return Settings.model_validate({"root": tmp_path, "output_storage": {"base_dir": url}})


@S3
def test_tables_and_vectors_are_read_from_a_bucket_as_from_a_folder(
    tiny: Path, bucket: Any, tmp_path: Path
) -> None:
    upload(bucket, tiny, "project/output")
    settings = settings_at(tmp_path, "s3://tests/project/output")
    snapshot = open_snapshot(settings, "local")
    before = {one.key: one.e_tag for one in bucket.objects.all()}

    assert facts(snapshot) == facts(opened(tiny))
    assert snapshot.summary.path == "s3://tests/project/output"
    row = tables()["text_units"][1]
    for name in ("entity_description", "text_unit_text"):
        table = IndexVectors(settings, snapshot).open(name)
        hits = table.search(vector(row["text"])[None], 1)[0]
        assert name != "text_unit_text" or hits.ids == (row["id"],)
    assert {one.key: one.e_tag for one in bucket.objects.all()} == before


@S3
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_an_old_index_in_a_run_folder_is_found_in_a_bucket(form: str, bucket: Any, tmp_path: Path) -> None:
    write_tables(tmp_path / "old" / "20240101-000000" / "artifacts", as_version(tables(), "0.4"), form)
    upload(bucket, tmp_path / "old", "old")
    snapshot = open_snapshot(settings_at(tmp_path, "s3://tests/old"), "global")

    assert snapshot.summary.path == "s3://tests/old/20240101-000000/artifacts"
    assert facts(snapshot)["reports"] == facts(opened(write_index(tmp_path / "new")))["reports"]


@S3
def test_a_store_elsewhere_is_named_by_its_url(tiny: Path, bucket: Any) -> None:
    upload(bucket, tiny / "lancedb", "vectors")
    settings = Settings.model_validate(
        {
            "root": tiny.parent,
            "output_storage": {"base_dir": tiny.name},
            "vector_store": {"db_uri": "s3://tests/vectors"},
        }
    )
    table = IndexVectors(settings, opened(tiny)).open("entity_description")

    assert table.rows == 6
    assert table.vectors_of([tables()["entities"][0]["id"]])[1].all()


@S3
def test_nothing_in_the_bucket_is_said_with_its_url(bucket: Any, tmp_path: Path) -> None:
    with pytest.raises(IndexDataError, match="s3://tests/nowhere"):
        open_snapshot(settings_at(tmp_path, "s3://tests/nowhere"))


@S3
def test_missing_vectors_in_a_bucket_are_said_with_its_url(tiny: Path, bucket: Any, tmp_path: Path) -> None:
    for path in tiny.glob("*.parquet"):
        bucket.upload_file(str(path), f"bare/{path.name}")
    settings = settings_at(tmp_path, "s3://tests/bare")
    with pytest.raises(VectorError, match="s3://tests/bare/lancedb"):
        IndexVectors(settings, open_snapshot(settings)).open("text_unit_text")


def test_a_store_that_refuses_is_named_with_what_to_set(tmp_path: Path) -> None:
    filesystem = MagicMock()
    filesystem.get_file_info.side_effect = OSError("AWS Error ACCESS_DENIED: no\nsecond line")
    place = RemotePlace(Store("s3", filesystem, {}), "bucket/output")
    for ask in (place.is_dir, place.is_file, lambda: list(place.iterdir())):
        with pytest.raises(IndexDataError) as refused:
            ask()
        assert "s3://bucket/output" in refused.value.message
        assert "ACCESS_DENIED" in refused.value.message
        assert "AWS_ACCESS_KEY_ID" in (refused.value.hint or "")


@pytest.mark.parametrize("url", ["ftp://host/output", "http://host/output"])
def test_other_urls_are_refused_in_words(url: str, tmp_path: Path) -> None:
    with pytest.raises(IndexDataError, match="cannot be read") as refused:
        open_snapshot(settings_at(tmp_path, url))
    assert "s3://" in (refused.value.hint or "")


# -- Azure: what is handed on; no server of its kind can be had here --------------------------------------------------


CONNECTION = (
    "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=c2VjcmV0PT0=;EndpointSuffix=core.windows.net"
)


def blob(**storage: Any) -> Settings:
    return Settings.model_validate(
        {
            "root": "/project",
            "output_storage": {"type": "blob", "base_dir": "output", "container_name": "box"} | storage,
        }
    )


def test_a_blob_container_of_the_settings_is_a_place() -> None:
    storage = blob(connection_string=CONNECTION).output_storage
    place = place_of(Path("/project"), storage.base_dir, storage)

    assert str(place) == "az://box/output"
    assert isinstance(place, RemotePlace)
    assert place.store.options == {"account_name": "acme", "account_key": "c2VjcmV0PT0="}
    assert "c2VjcmV0" not in repr(place)


def test_an_account_may_be_named_by_its_url_and_the_machines_identity_used() -> None:
    storage = blob(account_url="https://acme.blob.core.windows.net").output_storage
    account = azure_account(storage, {})

    assert (account.name, account.key, account.signature) == ("acme", None, None)
    assert replace(account, key="k") == azure_account(storage, {"AZURE_STORAGE_ACCOUNT_KEY": "k"})


def test_an_emulators_endpoint_reaches_both_readers() -> None:
    text = "AccountName=dev;AccountKey=a2V5;BlobEndpoint=http://127.0.0.1:10000/dev;"
    account = azure_account(blob(connection_string=text).output_storage, {})
    fs = MagicMock()
    store = azure_store(fs, account)

    fs.AzureFileSystem.assert_called_once_with(
        account_name="dev",
        account_key="a2V5",
        blob_storage_authority="127.0.0.1:10000",
        blob_storage_scheme="http",
    )
    assert store.options["azure_storage_endpoint"] == "http://127.0.0.1:10000/dev"
    assert store.options["allow_http"] == "true"


@pytest.mark.parametrize(
    ("storage", "words"),
    [
        ({"container_name": None, "connection_string": CONNECTION}, "container"),
        ({}, "account"),
        ({"type": "cosmosdb"}, "cosmosdb"),
        ({"type": "memory"}, "memory"),
    ],
)
def test_storage_that_says_too_little_is_refused_in_words(storage: dict[str, Any], words: str) -> None:
    with pytest.raises(IndexDataError, match=words) as refused:
        open_snapshot(blob(**storage))
    assert refused.value.hint


def test_a_place_reads_like_a_path() -> None:
    place = RemotePlace(Store("s3", None, {}), "bucket/output") / "entities.parquet"

    assert (place.name, place.stem, place.suffix) == ("entities.parquet", "entities", ".parquet")
    assert str(place.parent) == "s3://bucket/output"
