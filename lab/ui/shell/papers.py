"""Citations that lead to the paper."""

import json
import re
from functools import cache
from typing import Any

from lab.ui.words import ASSETS, pair

# What of a citation is said otherwise in Chinese; names and years stay.
CHINESE = {
    r" et al\.": " 等",
    r"; ": "；",
    r", ": "，",
    r" and ": " 和 ",
    r"sections? ([\d. 和]*\d)": r"第 \1 节",
    r"appendix": "附录",
    r"abstract": "摘要",
    r"table ": "表 ",
    r"column ([\d.]+B)": r"\1 一列",
    r"节 和 ": "节和",
    r" 和 表": " 和表",
    r"algorithm ": "算法 ",
    r"as published": "以公布的模型为准",
    r"version of (\d+)": r"\1 年的版本",
    r"what is new in v2": "第 2 版的新内容",
    r"API reference": "API 文档",
    r"all else as RoBERTa: ": "其余同 RoBERTa：",
    r"research project distillation": "研究项目 distillation",
    r"the small one": "小模型",
    r"first weights": "初始权重",
    r"warm-up": "预热",
    r"\bdecay": "权重衰减",
    r"clipping": "梯度裁剪",
}


def cited(citation: str) -> list[list[Any]]:
    """A citation such as "Lan et al. 2019, section 3; Devlin et al. 2018" as pieces [text in both languages, address],
    the address empty where a piece names no paper."""
    pieces: list[list[Any]] = []
    for number, part in enumerate(citation.split("; ")):
        paper, comma, where = part.partition(", ")
        pieces.append(["; " if number else "", ""])
        pieces.append([paper, addresses().get(paper, "")])
        pieces.append([comma + where, ""])
    return [[pair(text, in_chinese(text)), address] for text, address in pieces if text]


def named(citation: str) -> dict[str, str]:
    """A citation within a sentence, which leads nowhere."""
    return pair(citation, in_chinese(citation))


def in_chinese(text: str) -> str:
    """A piece of a citation as Chinese readers have it."""
    for english, chinese in CHINESE.items():
        text = re.sub(english, chinese, text)
    return text


@cache
def addresses() -> dict[str, str]:
    """Where each paper lies that an entry cites."""
    papers: dict[str, Any] = json.loads((ASSETS / "papers.json").read_text(encoding="utf-8"))
    return papers
