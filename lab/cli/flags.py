"""Settings as flags: each knob of the chosen entries is one flag, and what was given becomes settings again.

A setting's flag is its name: ``--width``. Where two parts of a command have a setting of the same name, the model and
the training keep the short flag and the other part puts its own name in front: ``--objective-share``. That longer form
always works.
"""

import argparse
import re
import typing
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from textwrap import shorten
from types import MappingProxyType
from typing import Any, NoReturn

from lab.catalog import CORPORA, TOKENIZERS
from lab.entries import CorpusEntry
from lab.registry import Entry
from lab.runs.run import Run
from lab.settings import Knob, Settings, SettingsError, nearest
from lab.training.unread import unread

GIGABYTE = 10**9
LONGEST = 100  # characters of a default that are printed
MAY_BE_EMPTY = {"--text", "--prompt", "--pinned", "--pair", "--choice", "--word"}  # texts
A_CORPUS = "a built-in corpus, a text file, a table of texts, a folder or hf://datasets/OWNER/NAME"


class Parser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one sentence, and which flag was perhaps meant."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON document instead of text"
        )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._refuse_two_spellings(args or ())
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            flags = [flag for flag in self._option_string_actions if flag.startswith("--")]
            name = unknown[0].partition("=")[0]
            meant = nearest(name, flags)[0] if name.startswith("--") else ""
            self.error(f"{self.prog} does not know {name!r}{meant if 'did you mean' in meant else ''}")
        self._refuse_empty_names(known)
        return known, unknown

    def _refuse_empty_names(self, known: argparse.Namespace) -> None:
        """Raises SettingsError for a name or a path that is empty, as of a variable of the shell that is not set."""
        for action in self._actions:
            empty = getattr(known, action.dest, None) == "" != action.default
            if empty and action.type is None and not MAY_BE_EMPTY & {*action.option_strings}:
                flag = action.option_strings[0] if action.option_strings else action.metavar
                raise SettingsError(f"{flag} is empty: give it a value, or leave it out", f"{flag} 为空：请填写或去掉")

    def _refuse_two_spellings(self, words: Sequence[str]) -> None:
        """Raises SettingsError where two flags set one thing to two values: the first would be passed over."""
        said: dict[str, tuple[str, str]] = {}
        for word, following in pairwise([*words, ""]):
            flag, equals, value = word.partition("=")
            action = self._option_string_actions.get(flag)
            if action is None:
                continue
            value = value if equals else flag if action.nargs == 0 else following
            first, before = said.setdefault(action.dest, (flag, value))
            if first != flag and before != value:
                raise SettingsError(
                    f"{first} and {flag} set the same thing: give one of them",
                    f"{first} 与 {flag} 设置的是同一项：只能给一个",
                )

    def error(self, message: str) -> NoReturn:
        """In the words of all other sentences where argparse has its own."""
        if found := re.fullmatch(r"argument (\S+): invalid (?:int|float) value: (.*)", message):
            message = f"{found[1]} must be a number, not {found[2]}"
        elif found := re.fullmatch(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", message):
            choices = [name.strip("'") for name in found[3].split(", ")]
            message = f"there is no {found[2]!r} for {found[1]}{nearest(found[2], choices)[0]}"
        raise SettingsError(f"{message} (see {self.prog} --help)", message)


def add_settings(
    parser: Parser,
    part: str,
    title: str,
    cls: type[Settings],
    *,
    short: bool = False,
    usual: Mapping[str, Any] = MappingProxyType({}),
    unread: Collection[str] = (),
) -> None:
    """A group of flags for the knobs of ``cls``. ``short`` parts come first and own the short form; where a flag is
    taken already, the part's name stands before it. What is ``usual`` is named in place of a knob's own default. Those
    ``unread`` by the command are refused with a reason where they are given, and not in its help."""
    if not cls.knobs():
        return
    group = parser.add_argument_group(title)
    kinds = typing.get_type_hints(cls)
    for name, item in cls.knobs().items():
        flag = name.replace("_", "-")
        free = f"--{flag}" not in parser._option_string_actions
        options = [f"--{flag}"] * free + [f"--{part}-{flag}"] * (not short or not free)
        described: Knob = item.metadata["knob"]
        about = f"{described.en} ({_about(usual.get(name, item.default), described)})"
        _add(group, options, f"{part}.{name}", argparse.SUPPRESS if name in unread else about, kinds[name])


def _add(group: Any, options: list[str], dest: str, about: str, kind: Any) -> None:
    text = about.replace("%", "%%")
    if kind is bool:
        group.add_argument(
            *options, dest=dest, default=argparse.SUPPRESS, action=argparse.BooleanOptionalAction, help=text
        )
    else:
        kinds = typing.get_args(kind) or (kind,)
        group.add_argument(
            *options,
            dest=dest,
            default=argparse.SUPPRESS,
            type=lambda word: value_of(word, kinds),
            metavar="TEXT" if str in kinds else "N",
            help=text,
        )


def more_flags(*parts: str) -> str:
    """What stands below a help that shows more flags once these parts of the command are named."""
    named = " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
    return f"Name {named} to see the flags of {'its' if len(parts) == 1 else 'their'} settings."


def add_gigabytes(parser: argparse.ArgumentParser, most: int) -> None:
    """``--gigabytes``: how large weights may be; in bytes, as ``most`` is."""
    about = f"weights are not larger than this ({most // GIGABYTE})"
    parser.add_argument("--gigabytes", type=_bytes, default=most, metavar="N", help=about)


def _bytes(word: str) -> int:
    """Gigabytes as bytes."""
    try:
        size = int(float(word) * GIGABYTE)
    except (ValueError, OverflowError):  # no number, not a number, or infinite
        size = 0
    if size <= 0:
        raise argparse.ArgumentTypeError(f"{word!r} is no size above 0")
    return size


def _about(value: Any, described: Knob) -> str:
    default = "" if value in (None, "") else f"{shorten(str(value), LONGEST, placeholder=' ...')}; "
    if described.choices:
        return default + ", ".join(map(str, described.choices))
    if described.low is None or described.high is None:
        return default.removesuffix("; ") or "text"
    return f"{default}{described.low} to {described.high}"


def value_of(word: str, kinds: Sequence[type]) -> Any:
    """The word as one of the kinds, or as it stands: the settings class then says what is wrong with it."""
    if str in kinds:
        return word
    if type(None) in kinds and word.lower() == "none":
        return None
    if bool in kinds:
        return {"true": True, "false": False, "yes": True, "no": False}.get(word.lower(), word)
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def given(asked: argparse.Namespace, part: str) -> dict[str, Any]:
    """The settings of one part that were on the command line."""
    prefix = f"{part}."
    return {name.removeprefix(prefix): value for name, value in vars(asked).items() if name.startswith(prefix)}


def heeded(asked: argparse.Namespace, run: Run) -> Run:
    """The run, if nothing was asked of its training that it does not read: else raises SettingsError."""
    lacking = unread(run)
    for name, value in given(asked, "training").items():
        if name in lacking:
            said, (en, zh) = name.replace("_", "-"), lacking[name]
            flag = f"no-{said}" if value is False else said
            raise SettingsError(f"{en} has no {said}: leave --{flag} out", f"{zh} 没有 {said}：请去掉 --{flag}")
    return run


def belong(owners: Sequence[str], *, named: bool, **values: Any) -> None:
    """Raises SettingsError where a flag has a value although none of its ``owners``, the flags that read it, is
    ``named``."""
    for name in (name for name, value in values.items() if value is not None and not named):
        raise SettingsError(
            f"--{name} belongs to {' or '.join(owners)}: add that, or leave --{name} out",
            f"--{name} 属于 {' 或 '.join(owners)}：请加上它，或去掉 --{name}",
        )


def settings(entry: Entry, asked: argparse.Namespace, part: str, **also: Any) -> dict[str, Any]:
    """All settings of an entry, those on the command line and the defaults, checked."""
    return entry.settings.load({**also, **given(asked, part)}).dump()


def peek(words: Sequence[str], flag: str, default: str = "") -> str:
    """The value of ``flag`` among the words, the last one as the parser has it, before there is a parser: which flags
    there are may depend on it."""
    for word, following in reversed([*pairwise([*words, ""])]):
        if word == flag:
            return following
        if word.startswith(f"{flag}="):
            return word.removeprefix(f"{flag}=")
    return default


def corpus_of(word: str, reader: str = "file") -> tuple[CorpusEntry, dict[str, Any]]:
    """The corpus that a word names: a built-in one, or ``reader`` for a file or folder; and its path."""
    if word in CORPORA and "path" not in CORPORA[word].settings.knobs():
        return CORPORA[word], {}
    if addressed(word) or word and Path(word).exists():
        return CORPORA[_reading(word, reader)], {"path": word}
    built_in = [entry.name for entry in CORPORA if "path" not in entry.settings.knobs()]
    raise SettingsError(
        f"there is neither a built-in corpus nor a file {word!r}{nearest(word, built_in)[0]}",
        f"既没有内置语料也没有文件 {word!r}{nearest(word, built_in)[1]}",
    )


def _reading(word: str, reader: str) -> str:
    """The corpus that reads a file: where any text will do, that for its kind of table, else ``reader``."""
    if addressed(word):
        return addressed(word)
    ending = Path(word).suffix.lower()
    tables = (entry.name for entry in CORPORA if ending in entry.endings)
    return next(tables, reader) if reader == "file" else reader


def addressed(word: str) -> str:
    """The corpus whose addresses begin so; nothing where ``word`` is no address."""
    return next((entry.name for entry in CORPORA if entry.address and word.startswith(entry.address)), "")


def add_corpus(parser: Parser, words: Sequence[str], flag: str, default: str = "town_en", reader: str = "file") -> None:
    """The flags of the chosen corpus."""
    word = peek(words, flag, default)
    name = word if word in CORPORA else _reading(word, reader)
    only = CORPORA[name].settings
    add_settings(parser, "corpus", "corpus", only)


class _Sizeless(argparse.Action):
    """The flag of a vocabulary size, for a tokenizer that has none: ``const`` names it."""

    def __call__(self, _parser: Any, _asked: Any, _value: Any, flag: str | None = None) -> None:
        raise SettingsError(
            f"the tokenizer {self.const} has no vocabulary size: leave {flag} out",
            f"分词器 {self.const} 没有词表大小：请去掉 {flag}",
        )


def add_vocabulary(parser: Parser, word: str) -> None:
    """The flags of a tokenizer that is to be trained; ``--vocab`` is its ``vocabulary``."""
    if word in TOKENIZERS:
        add_settings(parser, "tokenizer", "tokenizer", TOKENIZERS[word].settings)
        if "vocabulary" not in TOKENIZERS[word].settings.knobs():
            parser.add_argument("--vocab", "--vocabulary", action=_Sizeless, const=word, help=argparse.SUPPRESS)
    if "--vocab" not in parser._option_string_actions:
        parser.add_argument(
            "--vocab",
            dest="tokenizer.vocabulary",
            default=argparse.SUPPRESS,
            metavar="N",
            type=lambda text: value_of(text, (int,)),
            help="the same as --vocabulary",
        )
