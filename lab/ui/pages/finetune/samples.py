"""What stands in the fields of "ask it" at first: an example for each task, in the words of the small town."""

from dataclasses import dataclass

from lab.ui.words import LANGUAGES

STORIES = {  # one story with two ends: a model that has read such stories looks at the end, which it must have room for
    "en": (
        "Rose lived near the church. In spring she planted some cabbages behind the house. Yet the earth was as hard "
        "as stone. Rose fetched a bucket of water for them every morning. ",
        "In the end, the cabbages grew better than ever. Rose could not have wished for a better day.",
        "In the end, the cabbages died. Rose did not sleep well.",
    ),
    "zh": (
        "露丝在屋后种了一些卷心菜，地硬得像石头一样。",
        "最后，那些卷心菜没有死，长得比从前还好。露丝感谢了每一个人，睡得很香。",
        "最后，那些卷心菜全死了。露丝谁也没有感谢，睡得不香。",
    ),
}


@dataclass(frozen=True)
class Sample:
    """What a task reads: a text, a second one, and choices, one a line."""

    text: str
    second: str = ""
    options: str = ""


def story(language: str, end: int = 1) -> str:
    """The story with its good end, 1, or its bad one, 2."""
    return STORIES[language][0] + STORIES[language][end]


SAMPLES = {
    ("classify", "en"): Sample(story("en")),
    ("classify", "zh"): Sample(story("zh")),
    ("pairs", "en"): Sample("Rose was fourteen years old. She lived near the church.", "Rose lived near the church."),
    ("pairs", "zh"): Sample("露丝今年十四岁。她住在教堂附近。", "露丝住在教堂附近。"),
    ("tokens", "en"): Sample("On Monday Rose the baker waited for Tom near the church ."),
    ("tokens", "zh"): Sample("星期一，面包师露丝在教堂附近等汤姆。"),
    ("questions", "en"): Sample(
        "Rose was fourteen years old and lived near the church. In spring she planted some cabbages.",
        "Where did Rose live?",
    ),
    ("questions", "zh"): Sample("露丝今年十四岁，住在教堂附近。春天，露丝种了一些卷心菜。", "露丝住在哪里？"),
    ("similarity", "en"): Sample("Rose planted some cabbages.", "Rose put cabbages into the earth."),
    ("similarity", "zh"): Sample("露丝种了一些卷心菜。", "露丝把卷心菜种到了地里。"),
    ("choice", "en"): Sample(
        "In spring Rose planted some cabbages behind the house. Yet the earth was as hard as stone.",
        "",
        "Rose leaned a light ladder against the tree.\n"
        "Rose fetched a bucket of water from the spring every morning.\n"
        "The doctor listened to Rose's lungs and measured her pulse.\n"
        "Rose carried a big bag to the station.",
    ),
    ("choice", "zh"): Sample(
        "春天，露丝在屋后种了一些卷心菜。然而，地硬得像石头一样。",
        "",
        "露丝把一架很轻的梯子靠在树上。\n露丝每天早上从泉边提来一桶水。\n医生听了露丝的肺，量了她的脉搏。\n"
        "露丝带着一个大背包来到车站。",
    ),
    ("seq2seq", "en"): Sample("Rose was fourteen years old."),
    ("seq2seq", "zh"): Sample("露丝今年十四岁。"),
}


def untouched(text: str) -> bool:
    """Whether a field holds nothing that a visitor wrote."""
    known = {story(language, end) for language in LANGUAGES for end in (1, 2)}
    return not text.strip() or text in known | {sample.text for sample in SAMPLES.values()}
