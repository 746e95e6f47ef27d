"""Start the lab in a browser: ``python app.py``."""

if __name__ == "__main__":  # every worker process reads this file again, and has no use for the page
    import sys

    if sys.argv[1:]:
        sys.exit("error: app.py takes no arguments; GRADIO_SERVER_PORT and GRADIO_SERVER_NAME say where it listens")
    from lab.cli.interrupting import while_loading

    while_loading()
    from lab.cli.main import main

    sys.exit(main(["app"]))
