"""What a shell starts. It loads the rest itself, so that an interruption meanwhile is told like any other."""

import sys


def program() -> None:
    try:
        from .cli import program

        program()
    except KeyboardInterrupt:
        print("maurey: interrupted; nothing was kept", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    program()
