"""Who serves models: default addresses, where their keys are kept, and which servers ask for none."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

MASK = "********"
_CREDENTIALS = re.compile(r"(://)[^/@\s]+@")
_QUERY_SECRETS = re.compile(r"(?i)(://[^\s?#]+\?|&)([\w.-]*(?:key|token|secret|sig|password|code)=)[^&#\s]+")


@dataclass(frozen=True, slots=True)
class Service:
    """A service with an OpenAI-compatible address."""

    base: str | None = None
    """Default base URL; None: OpenAI's own, or one that settings must give."""
    variables: tuple[str, ...] = ()
    """Variables in which its users keep their key; looked at when settings give none."""
    adapter: Literal["openai", "azure"] = "openai"
    own_address: bool = False
    """True when there is no default address, so that settings must give ``api_base``."""


SERVICES: Mapping[str, Service] = {
    "openai": Service(None, ("OPENAI_API_KEY",)),
    "azure": Service(None, ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY"), "azure"),
    "ollama": Service("http://localhost:11434/v1"),
    "ollama_chat": Service("http://localhost:11434/v1"),
    "lm_studio": Service("http://localhost:1234/v1"),
    "vllm": Service("http://localhost:8000/v1"),
    "hosted_vllm": Service("http://localhost:8000/v1", ("HOSTED_VLLM_API_KEY",)),
    "llama_cpp": Service("http://localhost:8080/v1"),
    "llamafile": Service("http://localhost:8080/v1"),
    "openrouter": Service("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "groq": Service("https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    "mistral": Service("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",)),
    "deepseek": Service("https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",)),
    "gemini": Service("https://generativelanguage.googleapis.com/v1beta/openai", ("GEMINI_API_KEY",)),
    "anthropic": Service("https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",)),
    "xai": Service("https://api.x.ai/v1", ("XAI_API_KEY",)),
    "together_ai": Service("https://api.together.xyz/v1", ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY")),
    "fireworks_ai": Service(
        "https://api.fireworks.ai/inference/v1", ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY")
    ),
    "perplexity": Service("https://api.perplexity.ai", ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY")),
    "nvidia_nim": Service("https://integrate.api.nvidia.com/v1", ("NVIDIA_NIM_API_KEY",)),
    "cerebras": Service("https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",)),
    "deepinfra": Service("https://api.deepinfra.com/v1/openai", ("DEEPINFRA_API_KEY",)),
    "dashscope": Service("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", ("DASHSCOPE_API_KEY",)),
    "moonshot": Service("https://api.moonshot.ai/v1", ("MOONSHOT_API_KEY",)),
    "huggingface": Service("https://router.huggingface.co/v1", ("HF_TOKEN", "HUGGINGFACE_API_KEY")),
    "azure_ai": Service(None, ("AZURE_AI_API_KEY",), own_address=True),
    "litellm_proxy": Service(None, ("LITELLM_PROXY_API_KEY",), own_address=True),
    "openai_like": Service(None, own_address=True),
    "custom_openai": Service(None, own_address=True),
    "xinference": Service(None, own_address=True),
}
"""By the name that ``model_provider`` has for them."""


def with_version_path(service: str, base: str) -> str:
    """``base`` as an OpenAI client needs it: Ollama's bare address, as LiteLLM takes it, gets its ``/v1``."""
    if not service.startswith("ollama"):
        return base
    return base.rstrip("/") + "/v1" if path_of(base) in ("", "/") else base


def path_of(url: str) -> str | None:
    """The path in ``url``; None when it is no address at all."""
    try:
        return urlsplit(url).path
    except ValueError:
        return None


def host_of(url: str | None) -> str:
    """The host in ``url``, in lower case; empty when there is none."""
    try:
        return (urlsplit(url or "").hostname or "").lower()
    except ValueError:
        return ""


def without_password(text: str) -> str:
    """``text`` with user, password and keys of any URL in it masked."""
    return _QUERY_SECRETS.sub(rf"\1\2{MASK}", _CREDENTIALS.sub(rf"\1{MASK}@", text))


def is_own_network(url: str | None) -> bool:
    """True for an address on this machine or in a private network, where servers seldom ask for a key."""
    host = host_of(url)
    if not host:
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal", ".lan", ".home.arpa"))
    return address.is_private or address.is_loopback


def is_azure_host(url: str | None) -> bool:
    """True for an Azure OpenAI resource, which speaks Azure's dialect."""
    return host_of(url).endswith((".openai.azure.com", ".cognitiveservices.azure.com"))
