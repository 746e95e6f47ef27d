"""What a worker would have to import first. The fork server imports this file, so that no worker waits for it."""

from lab.catalog import REGISTRIES

for _registry in REGISTRIES.values():
    _registry.names()
