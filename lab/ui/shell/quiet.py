"""What must stand in the environment before gradio and torch are imported: nothing leaves the machine unasked, and
threads that wait soon sleep."""

import os

import lab.waiting  # noqa: F401  for what it puts into the environment

os.environ.update(
    GRADIO_ANALYTICS_ENABLED="False",
    GRADIO_SHARE="False",
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_HUB_DISABLE_UPDATE_CHECK="1",
    DISABLE_TELEMETRY="1",
)
