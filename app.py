"""Start the lab in a browser: ``python app.py``."""

import lab.ui.quiet  # noqa: F401  first, because gradio and huggingface_hub read the environment when imported
from lab.ui.app import launch

if __name__ == "__main__":
    launch()
