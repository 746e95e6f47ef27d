"""Nothing leaves the machine unasked: what must stand in the environment before gradio is imported."""

import os

os.environ.update(
    GRADIO_ANALYTICS_ENABLED="False",
    GRADIO_SHARE="False",
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_HUB_DISABLE_UPDATE_CHECK="1",
    DISABLE_TELEMETRY="1",
)
