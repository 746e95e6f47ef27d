"""Preloading for the fork server: what a worker would have to load first, so that no worker waits for it."""

import torch._dynamo  # noqa: F401  the first optimizer of a process imports it, which takes a second

from lab.catalog import CORPORA, REGISTRIES
from lab.data.corpus import town_documents

for _registry in REGISTRIES.values():
    _registry.names()
for _corpus in CORPORA:
    if _corpus.language:
        town_documents(_corpus.name, _corpus.settings())
