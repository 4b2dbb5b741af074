"""What calls cost: by settings first, else by the table of the ``genai-prices`` package as installed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag_cli.llm.endpoints.address import OPENAI_BASE, base_url, is_azure, is_loopback, is_openai

if TYPE_CHECKING:
    from graphrag_cli.config.settings import ChatModelSettings, EmbeddingModelSettings, Price

_REMOTE = frozenset({"openai", "azure"})
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class PricedModel:
    """Where the price of one model is to be had."""

    name: str
    price: Price | None = None
    """As settings say."""
    free: bool = False
    """True for what runs on this machine."""
    url: str | None = None
    """The address that tells the provider."""
    azure: bool = False


class Prices:
    """``PriceTable`` over the models of one run. A model that no table knows has no cost, not a cost of zero."""

    def __init__(self, models: Iterable[PricedModel]) -> None:
        self._models = {model.name: model for model in models}

    def cost(self, model: str, prompt_tokens: int, output_tokens: int) -> float | None:
        """USD; None when the model's price is not known."""
        known = self._models.get(model)
        if known is None:
            return None
        if known.price is not None:
            return (prompt_tokens * known.price.input + output_tokens * known.price.output) / _MILLION
        if known.free:
            return 0.0
        return _listed(known, prompt_tokens, output_tokens)


def priced(settings: ChatModelSettings | EmbeddingModelSettings) -> PricedModel:
    """The entry for a model of settings."""
    url = base_url(settings.api_base or OPENAI_BASE)
    return PricedModel(
        settings.model,
        price=settings.price,
        free=settings.provider not in _REMOTE or is_loopback(url),
        url=url,
        azure=settings.provider == "azure" or is_azure(url),
    )


def _listed(model: PricedModel, prompt_tokens: int, output_tokens: int) -> float | None:
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=prompt_tokens, output_tokens=output_tokens)
    try:
        if model.azure:
            return float(calc_price(usage, model.name, provider_id="azure").total_price)
        if model.url is None or is_openai(model.url):
            return float(calc_price(usage, model.name, provider_id="openai").total_price)
        return float(calc_price(usage, model.name, provider_api_url=model.url).total_price)
    except LookupError:
        return None
