"""The README says what the thing does: its table, its snippets and its commands are run."""

import subprocess

import pytest
import readme

TEXT = readme.README.read_text()
COMMANDS = [
    line for language, block in readme.BLOCK.findall(TEXT) if language == "sh" for line in readme.commands(block)
]


def test_shown_outputs_and_the_claims_table_are_fresh():
    assert readme.fresh(TEXT) == TEXT, "run `make readme`"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs(command, tmp_path):
    if command.startswith("make"):  # this very run, or the exhibits, which have tests: see that it would start them
        plan = subprocess.run(
            ["make", "-n", *command.split()[1:]], cwd=readme.ROOT, capture_output=True, text=True, check=True
        ).stdout
        assert {"make test": "pytest", "make tables": "maurey tables"}[command] in plan
    else:
        assert readme.run_command(command, tmp_path)


def test_every_block_is_either_run_or_shown():
    assert {language for language, _ in readme.BLOCK.findall(TEXT)} == {"sh", "python", "text"}
