"""What every test stands on: one thread, a home of its own, no network."""

import os
import tempfile

HOME = tempfile.TemporaryDirectory(prefix="cloze-lab-")  # removed when the interpreter ends
os.environ.update(
    CLOZE_LAB_HOME=HOME.name,
    OMP_NUM_THREADS="1",
    TOKENIZERS_PARALLELISM="false",
    HF_HUB_OFFLINE="1",
    GRADIO_ANALYTICS_ENABLED="False",
)

import torch  # noqa: E402  it reads the environment when it is imported

torch.set_num_threads(1)
