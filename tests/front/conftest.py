import sys

import pytest

from maurey import cli


@pytest.fixture
def maurey(capsys, monkeypatch):
    """The command in this process: exit code, output, errors."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["maurey", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return call
