"""The Hugging Face Hub: where it is, and what its client raises, as one sentence."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from huggingface_hub import HfApi, constants
from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from lab.settings import SettingsError

PATIENCE = 10.0  # seconds to wait for the Hub's first word


def endpoint() -> str:
    """The Hub's address, or that of whoever stands in for it."""
    return os.environ.get("HF_ENDPOINT") or constants.ENDPOINT


def api() -> HfApi:
    """The client, which says nothing by itself."""
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # it narrates what we say in one sentence
    return HfApi(endpoint=endpoint())


@contextmanager
def in_words(name: str, revision: str | None, missing: SettingsError, file: str = "") -> Iterator[None]:
    """What the client raises while ``file`` of ``name`` is fetched, as one sentence; ``missing`` where the Hub does
    not know that name."""
    try:
        yield
    except SettingsError:
        raise
    except GatedRepoError:
        raise SettingsError(
            f"{name} is given only to those who have asked its authors: accept its terms on the Hub and log in",
            f"{name} 需要作者授权：请在 Hub 上接受其条款并登录",
        ) from None
    except RevisionNotFoundError:
        raise SettingsError(f"{name} has no revision {revision!r}", f"{name} 没有版本 {revision!r}") from None
    except (RepositoryNotFoundError, HFValidationError):
        raise missing from None
    except OfflineModeIsEnabled:
        raise SettingsError(
            "the Hub is switched off here by HF_HUB_OFFLINE: give a folder instead",
            "HF_HUB_OFFLINE 已关闭对 Hub 的访问：请改用文件夹",
        ) from None
    except EntryNotFoundError:
        raise SettingsError(f"{name} has no {file} on the Hub", f"Hub 上的 {name} 没有 {file}") from None
    except HfHubHTTPError as error:
        code = getattr(getattr(error, "response", None), "status_code", "?")
        raise SettingsError(
            f"the Hub answered with the error {code}: try later", f"Hub 返回错误 {code}：请稍后再试"
        ) from None
    except OSError as error:
        if error.errno is not None and not isinstance(error, ConnectionError):
            raise  # the disk's
        raise _cut(name, file) from None
    except Exception:  # the transport's own, whichever it is
        raise _cut(name, file) from None


def _cut(name: str, file: str) -> SettingsError:
    if not file:
        return SettingsError("the Hub cannot be reached: is there a network?", "无法连接 Hub：请检查网络")
    return SettingsError(
        f"the connection was lost while {file} of {name} was fetched: try again",
        f"下载 {name} 的 {file} 时连接中断：请重试",
    )
