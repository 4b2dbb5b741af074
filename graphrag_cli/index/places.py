"""Where files lie: a folder of this machine, or one in an object store (``s3://``, ``gs://``, ``az://``).

``RemotePlace`` answers the few questions that are asked of a ``Path``; arrow reads tables through its filesystem,
and lance reads vectors with ``storage``. Nothing is ever written to either.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from graphrag_cli.errors import IndexDataError

if TYPE_CHECKING:
    from graphrag_cli.config.settings import StorageSettings

_SCHEMES = {"s3": "s3", "gs": "gs", "gcs": "gs", "az": "az", "abfs": "az", "abfss": "az"}
_LIBRARIES = {"s3": "S3FileSystem", "gs": "GcsFileSystem", "az": "AzureFileSystem"}
_HINTS = {
    "s3": "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION (AWS_ENDPOINT_URL for another server than Amazon's)",
    "gs": "set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account",
    "az": "set output_storage.connection_string, or AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY",
}


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """An object store: arrow's filesystem over it, and lance's options for it. Options may hold secrets."""

    scheme: str
    filesystem: Any = field(repr=False)
    options: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class RemotePlace:
    """A file or folder in an object store. ``path`` begins with the bucket or container."""

    store: Store
    path: str

    def __str__(self) -> str:
        return f"{self.store.scheme}://{self.path}"

    def __truediv__(self, name: str) -> RemotePlace:
        return RemotePlace(self.store, f"{self.path}/{name}")

    @property
    def name(self) -> str:
        """The last part."""
        return self.path.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The extension, with its dot."""
        return Path(self.name).suffix

    @property
    def stem(self) -> str:
        """The last part without its extension."""
        return Path(self.name).stem

    @property
    def parent(self) -> RemotePlace:
        """The folder that it is in."""
        return RemotePlace(self.store, self.path.rpartition("/")[0])

    def is_dir(self) -> bool:
        """Whether anything lies under it. Raises ``IndexDataError`` when the store cannot be asked."""
        return self._info().is_dir

    def is_file(self) -> bool:
        """Whether it is a file."""
        return self._info().is_file

    def iterdir(self) -> Iterator[RemotePlace]:
        """What lies in it. Raises ``IndexDataError`` when the store cannot be asked."""
        fs: Any = importlib.import_module("pyarrow.fs")
        try:
            found = self.store.filesystem.get_file_info(fs.FileSelector(self.path))
        except OSError as error:
            raise unreachable(self, error) from error
        yield from (RemotePlace(self.store, info.path) for info in found)

    def _info(self) -> _Info:
        fs: Any = importlib.import_module("pyarrow.fs")
        try:
            kind = self.store.filesystem.get_file_info(self.path).type
        except OSError as error:
            raise unreachable(self, error) from error
        return _Info(kind == fs.FileType.Directory, kind == fs.FileType.File)


@dataclass(frozen=True, slots=True)
class _Info:
    is_dir: bool
    is_file: bool


Place: TypeAlias = Path | RemotePlace


def unreachable(place: RemotePlace, error: Exception) -> IndexDataError:
    """The store refused, or could not be reached."""
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return IndexDataError(f"{str(place)!r} cannot be read: {reason}", hint=_HINTS[place.store.scheme])


def place_of(base: Path, location: str, storage: StorageSettings | None = None) -> Place:
    """``location`` as a place: a URL, a path relative to ``base``, or a folder of the container that ``storage`` names.

    Raises ``IndexDataError`` for a store that cannot be read.
    """
    if "://" in location:
        scheme, _, path = location.partition("://")
        return RemotePlace(_store(scheme.lower(), path, storage), path.strip("/"))
    if storage is not None and storage.type == "blob":
        return _in_container(location, storage)
    if storage is not None and storage.type != "file":
        raise IndexDataError(
            f"tables in a store of type {storage.type!r} cannot be read",
            hint="export them as parquet files and name their folder with --data",
        )
    return base / location


def _in_container(location: str, storage: StorageSettings) -> RemotePlace:
    if not storage.container_name:
        raise IndexDataError(
            "output_storage is of type 'blob' but names no container",
            hint="set output_storage.container_name",
        )
    path = "/".join(part for part in (storage.container_name, location.strip("./")) if part)
    return RemotePlace(_store("az", path, storage), path)


def _store(scheme: str, path: str, storage: StorageSettings | None) -> Store:
    kind = _SCHEMES.get(scheme)
    if kind is None:
        raise IndexDataError(
            f"an index at {scheme}:// cannot be read",
            hint="s3://, gs:// and az:// can, and folders of this machine",
        )
    fs: Any = importlib.import_module("pyarrow.fs")
    if not hasattr(fs, _LIBRARIES[kind]):
        raise IndexDataError(
            f"this build of pyarrow cannot read {kind}://",
            hint="install a build of pyarrow with this store, or copy the folder here and name it with --data",
        )
    match kind:
        case "s3":
            return s3_store(fs, path.partition("/")[0], os.environ)
        case "az":
            return azure_store(fs, azure_account(storage, os.environ))
        case _:
            return Store("gs", fs.GcsFileSystem(), {})


def s3_store(fs: Any, bucket: str, environment: Mapping[str, str]) -> Store:
    """Amazon S3, or what speaks its protocol at ``AWS_ENDPOINT_URL``; keys from the environment or the machine's role."""
    endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    if region is None:
        region = "us-east-1" if endpoint else _region_of(fs, bucket)
    options = {"region": region}
    if endpoint:
        options |= {"endpoint": endpoint, "allow_http": str(endpoint.startswith("http://")).lower()}
    filesystem = fs.S3FileSystem(
        region=region, endpoint_override=endpoint, connect_timeout=10, request_timeout=60
    )
    return Store("s3", filesystem, options)


def _region_of(fs: Any, bucket: str) -> str:
    try:
        return fs.resolve_s3_region(bucket)
    except OSError:
        return "us-east-1"


@dataclass(frozen=True, slots=True)
class AzureAccount:
    """Who may read a storage account, and where it is. Without key and signature the machine's identity is used."""

    name: str
    key: str | None = field(default=None, repr=False)
    signature: str | None = field(default=None, repr=False)
    endpoint: str | None = None
    """URL of the blob service, where it is not Azure's own."""


def azure_account(storage: StorageSettings | None, environment: Mapping[str, str]) -> AzureAccount:
    """From the settings' connection string or account URL, else from the environment. Raises ``IndexDataError``."""
    secret = storage.connection_string if storage is not None else None
    text = secret.get_secret_value() if secret else environment.get("AZURE_STORAGE_CONNECTION_STRING", "")
    if text:
        parts = dict(part.strip().split("=", 1) for part in text.split(";") if "=" in part)
        name = parts.get("AccountName") or _account_of(parts.get("BlobEndpoint", ""))
        if name:
            return AzureAccount(
                name, parts.get("AccountKey"), parts.get("SharedAccessSignature"), parts.get("BlobEndpoint")
            )
    url = (storage.account_url if storage is not None else None) or ""
    name = _account_of(url) or environment.get("AZURE_STORAGE_ACCOUNT_NAME")
    if not name:
        raise IndexDataError("the Azure storage account is not named", hint=_HINTS["az"])
    key, signature = environment.get("AZURE_STORAGE_ACCOUNT_KEY"), environment.get("AZURE_STORAGE_SAS_TOKEN")
    return AzureAccount(name, key, signature)


def _account_of(url: str) -> str:
    return url.partition("://")[2].partition(".")[0]


def azure_store(fs: Any, account: AzureAccount) -> Store:
    """Azure blob storage as arrow and lance open it."""
    options = {"account_name": account.name}
    arguments: dict[str, str] = {"account_name": account.name}
    if account.key:
        options["account_key"] = arguments["account_key"] = account.key
    elif account.signature:
        options["azure_storage_sas_token"] = arguments["sas_token"] = account.signature
    if account.endpoint:
        scheme, _, rest = account.endpoint.partition("://")
        options |= {"azure_storage_endpoint": account.endpoint, "allow_http": str(scheme == "http").lower()}
        if not rest.startswith(f"{account.name}."):
            arguments |= {"blob_storage_authority": rest.partition("/")[0], "blob_storage_scheme": scheme}
    return Store("az", fs.AzureFileSystem(**arguments), options)
