"""What a worker would have to import first. The fork server imports this file, so that no worker waits for it."""

import torch._dynamo  # noqa: F401  the first optimizer of a process imports it, which takes a second

from lab.catalog import REGISTRIES

for _registry in REGISTRIES.values():
    _registry.names()
