"""Where the app listens, tried before gradio is: it answers a wrong number with a traceback, takes a name that cannot
be for a lack of free ports, and goes to another port where the one that was named is taken."""

import errno
import os
import socket

from lab.settings import SettingsError

NAME, PORT = "GRADIO_SERVER_NAME", "GRADIO_SERVER_PORT"
LOCAL, HIGHEST = "127.0.0.1", 65_535


def check_listening() -> None:
    """Raises SettingsError where the environment names a port or an address at which this machine cannot listen."""
    port, name = os.environ.get(PORT, ""), os.environ.get(NAME, "") or LOCAL
    if port and not (port.isascii() and port.isdigit() and 1 <= int(port) <= HIGHEST):
        raise SettingsError(
            f"{PORT} must be a whole number from 1 to {HIGHEST}, not {port!r}",
            f"{PORT} 必须是 1 到 {HIGHEST} 之间的整数，不能是 {port!r}",
        )
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does: of one that has just ended
        try:
            tried.bind((name, int(port or 0)))
            tried.listen()
        except (OSError, TypeError) as error:  # the second for a name that cannot be encoded
            code = error.errno if isinstance(error, OSError) else None
            if code == errno.EADDRINUSE:
                raise SettingsError(
                    f"port {port} is taken: another program listens there; {PORT} names another",
                    f"端口 {port} 已被其他程序占用；请用 {PORT} 另选一个",
                ) from None
            if code == errno.EACCES:
                raise SettingsError(
                    f"this user may not listen at port {port}; {PORT} names another",
                    f"当前用户不能监听端口 {port}；请用 {PORT} 另选一个",
                ) from None
            raise SettingsError(
                f"{NAME} must be an IPv4 address of this machine, or 0.0.0.0 for all of them, not {name!r}",
                f"{NAME} 必须是本机的 IPv4 地址（0.0.0.0 表示全部），不能是 {name!r}",
            ) from None
