"""Completes the entries of models: where the key comes from, and what an entry lacks before it can be used."""

from __future__ import annotations

from graphrag_cli.config.leaves import Key, Leaf, Leaves, below, dotted, names_below, put
from graphrag_cli.config.loaded import Origin, Unresolved
from graphrag_cli.config.providers import SERVICES, is_own_network
from graphrag_cli.config.spelling_models import CHAT, EMBEDDING, SERVICE
from graphrag_cli.config.variables import Variables

EMBEDDED = frozenset({"extractive", "minilm", "gguf", "scripted"})
"""Providers that run in this process and need neither address nor key."""

Problems = dict[Key, Unresolved]


def complete_entries(leaves: Leaves, problems: Problems, variables: Variables, path: str) -> None:
    """Completes every entry in ``leaves``, and adds to ``problems`` what still lacks.

    Missing parts of a connection that the storage's type does not use are forgiven.
    """
    for key in list(problems):
        if key[0] in (CHAT, EMBEDDING) and not below(leaves, key[:2]):
            put(
                leaves, key[:2], Leaf({}, Origin("default"))
            )  # all that was given is missing: the entry is there
    for kind in (CHAT, EMBEDDING):
        for model_id in names_below(leaves, (kind,)):
            if (entry := leaves.get((kind, model_id))) and entry.value not in (None, {}):
                continue  # no section at all: refused when the tree is validated
            _Entry((kind, model_id), leaves, problems, path).complete(variables)

    if (storage := leaves.get(("output_storage", "type"))) is None or storage.value == "file":
        for name in ("connection_string", "container_name", "account_url"):
            problems.pop(("output_storage", name), None)


class _Entry:
    """One entry."""

    def __init__(self, key: Key, leaves: Leaves, problems: Problems, path: str) -> None:
        self._key, self._leaves, self._problems, self._path = key, leaves, problems, path
        service = leaves.pop((*key, SERVICE), None)
        self._provider = str(self._get("provider") or "openai")
        self._is_chat = key[0] == CHAT
        self._service = str(service.value) if service else self._provider

    def complete(self, variables: Variables) -> None:
        if self._provider in EMBEDDED:
            self._forgive(
                "api_key", "api_base", "api_version", "deployment_name", "organization", "proxy", "audience"
            )
            if self._provider == "gguf" and not self._get("path"):
                self._lacks("path", "the GGUF file", "give the path of the file")
            if (
                self._is_chat
                and self._provider == "scripted"
                and not (self._get("path") or self._get("responses"))
            ):
                self._lacks(
                    "path", "its replies", "give the path of a file of replies, or `responses: [...]`"
                )
            return
        self._names()
        self._address()
        self._api_key(variables)

    def _names(self) -> None:
        """Azure is asked by deployment: it stands in for the model's name, and the other way round."""
        if self._provider == "azure" and not self._get("model") and self._get("deployment_name"):
            put(self._leaves, (*self._key, "model"), self._leaves[(*self._key, "deployment_name")])
            self._forgive("model")
        if not self._get("model"):
            self._lacks("model", "the model's name", "give the name that the endpoint knows the model by")
        if self._provider != "azure":
            self._forgive("deployment_name", "api_version", "audience")

    def _address(self) -> None:
        base = str(self._get("api_base") or "")
        service = SERVICES.get(self._service)
        if self._provider == "azure":
            if not base:
                self._lacks(
                    "api_base", "the resource's address", "it looks like https://NAME.openai.azure.com"
                )
            if not self._get("api_version") and "/openai/v1" not in base:
                self._lacks("api_version", "the API's version", 'give one, such as api_version: "2024-10-21"')
        elif not base and service is None and self._service != self._provider:
            self._lacks(
                "api_base",
                f"an address, since {self._service} has no OpenAI-compatible one that is known",
                "give the base URL of a compatible endpoint or gateway, and model_provider: openai",
            )
        elif not base and service is not None and service.own_address:
            self._lacks("api_base", "the endpoint's address", "give its base URL, up to and with /v1")

    def _api_key(self, variables: Variables) -> None:
        base = self._get("api_base")
        signed_otherwise = self._get("auth_method") == "azure_managed_identity"
        if signed_otherwise or (isinstance(base, str) and is_own_network(base)):
            self._forgive("api_key")
            return
        if self._get("api_key") or (*self._key, "api_key") in self._problems:
            return
        usual = self._usual_variables(base)
        for name in usual:
            if value := variables.get(name).strip():
                put(self._leaves, (*self._key, "api_key"), Leaf(value, variables.origin(name)))
                return
        also = f", or set {usual[0]}" if usual else ""
        self._lacks("api_key", "the key", f"give it as `api_key: ${{VARIABLE}}`{also}")

    def _usual_variables(self, base: object) -> tuple[str, ...]:
        """Where users of the service keep its key: none for another address than its own, which must not get it."""
        service = SERVICES.get(self._service)
        if service is None:
            return ()
        return service.variables if self._provider == "azure" or base in (None, "", service.base) else ()

    def _get(self, name: str) -> object:
        leaf = self._leaves.get((*self._key, name))
        return leaf.value if leaf else None

    def _lacks(self, name: str, what: str, hint: str) -> None:
        key = (*self._key, name)
        if key not in self._problems:
            text = f"{self._path}: {dotted(key)} is not set: {dotted(self._key)} lacks {what}"
            self._problems[key] = Unresolved(dotted(key), text, hint)

    def _forgive(self, *names: str) -> None:
        for name in names:
            self._problems.pop((*self._key, name), None)
