"""A book over http, for this machine alone: what works from disk works here too."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from maurey.symbolic.errors import InputError

TRIED = 20  # ports, from the first on


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """At the first port that is free."""
    handler = partial(_Quiet, directory=str(folder))
    for one in range(port, port + TRIED):
        try:
            return ThreadingHTTPServer(("127.0.0.1", one), handler)
        except OSError:
            continue
    raise InputError(f"no port from {port} to {port + TRIED - 1} is free")


def serve(folder: Path, port: int) -> None:
    """Until interrupted."""
    with server(folder, port) as found:
        print(f"http://localhost:{found.server_port}/ (Ctrl-C ends it)", flush=True)
        found.serve_forever()
