"""Start the lab in a browser: ``python app.py``."""

if __name__ == "__main__":  # every worker process reads this file again, and has no use for the page
    import lab.ui.shell.quiet  # noqa: F401  first, because gradio and huggingface_hub read the environment when imported
    from lab.ui.app import launch

    launch()
