"""The published architectures that the lab reads: one file each in ``families``, found because it is there."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from lab.catalog import MODELS
from lab.exchange.naming import RECIPE, Config, Naming, short
from lab.exchange.parts import as_made
from lab.registry import modules_in
from lab.settings import SettingsError


@cache
def namings() -> tuple[Naming, ...]:
    """Every naming, in the order of their models."""
    order = MODELS.names()
    all_namings: list[Naming] = [module.NAMING for module in modules_in("lab.exchange.families")]
    return tuple(sorted(all_namings, key=lambda naming: order.index(naming.model)))


def naming_of(model: str, shape: Any = None) -> Naming:
    """How a model of ours, of this shape where it matters, is called elsewhere."""
    candidates = [candidate for candidate in namings() if candidate.model == model and candidate.written]
    if candidates:  # of several the one whose shape it is; where it is none's, the first will say why
        return next((candidate for candidate in candidates if shape is None or candidate.suits(shape)), candidates[0])
    title = MODELS[model]
    raise SettingsError(
        f"transformers has no class for {title.title}: it cannot be exported",
        f"transformers 中没有与 {title.title_zh} 对应的类，不能导出",
    )


def naming_for(config: Config) -> Naming:
    """The naming that a config asks for."""
    kind = config.get("model_type")
    fitting = [naming for naming in namings() if naming.kind == kind and naming.fits(config)]
    own = [naming for naming in fitting if naming.model == config.get(RECIPE)]
    if fitting:
        return (own + fitting)[0]
    there = ", ".join(sorted({naming.kind for naming in namings()}))
    if kind is None:
        raise SettingsError(
            f"the config does not say what it is a config of: it has no model_type, such as {there}",
            f"配置没有 model_type，不知道是哪种模型；可以是：{there}",
        )
    alike = [naming for naming in namings() if naming.kind == kind]
    if alike:
        raise _of_no_such_kind(config, alike)
    raise SettingsError(
        f"the lab does not know the model_type {short(kind)}; it knows: {there}",
        f"本实验室不认识 model_type {short(kind)}；认识的有：{there}",
    )


def naming_of_files(config: Config, tensors: Iterable[str]) -> Naming:
    """The naming that a config and the tensors beside it ask for. Where the config names no class, as that of a
    discriminator and that of its generator may not, it is the one whose head is there."""
    naming, tensors = naming_for(config), [*tensors]
    if config.get("architectures"):
        return naming
    alike = [other for other in namings() if other.kind == naming.kind]
    others = [other for other in alike if other.fits({**config, "architectures": [other.tokens]})]
    return next((each for each in (naming, *others) if _has_head(each, tensors)), naming)


def _has_head(naming: Naming, tensors: Iterable[str]) -> bool:
    sources = [source for mine, source in naming.names.items() if mine.startswith("head.")]
    wanted = {f"{name}.weight" for source in sources for name in as_made(source).of}
    return any(naming.respelt(tensor, wanted) in wanted for tensor in tensors)


def _of_no_such_kind(config: Config, alike: Sequence[Naming]) -> SettingsError:
    """Why none of several recipes that share a model_type is the config's."""
    titles = " / ".join(MODELS[naming.model].title for naming in alike)
    for key in {key: None for naming in alike for key in naming.fixed}:
        values = [naming.fixed[key] for naming in alike if key in naming.fixed]
        given = config.get(key, alike[0].assumed.get(key, values[0]))
        if given not in values:
            wanted = " / ".join(dict.fromkeys(map(repr, values)))
            made = "is made with" if len(alike) == 1 else "are made with"
            return SettingsError(
                f"the config has {key} {short(given)}; {titles} {made} {wanted}",
                f"配置中 {key} 为 {short(given)}，而 {titles} 使用 {wanted}",
            )
    return SettingsError(
        f"the config mixes what the lab has as several models of the model_type {alike[0].kind!r}: {titles}",
        f"配置混合了本实验室中 model_type {alike[0].kind!r} 的几种模型：{titles}",
    )
