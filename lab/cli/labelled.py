"""Labelled examples that a command measures a run on, with nothing trained."""

from argparse import Namespace

from lab.cli.flags import corpus_of, settings
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training.run_request import finetuning


def run_on_labels(asked: Namespace, folder: RunFolder, task: str) -> Run:
    """A run that is never trained: it names the parts of the corpus of --corpus as one would that is."""
    if asked.corpus is None:
        raise SettingsError("name the labelled examples with --corpus", "请用 --corpus 指定带标签的样本")
    corpus, also = corpus_of(asked.corpus, "labelled")
    values = settings(corpus, asked, "corpus", **also)
    return finetuning(folder, task=task, corpus=corpus.name, chosen={"corpus": values, "training": {"steps": 1}})
