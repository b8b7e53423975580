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
    if command == "make test":  # this very run: see only that it would start the tests
        plan = subprocess.run(
            ["make", "-n", "test"], cwd=readme.ROOT, capture_output=True, text=True, check=True
        ).stdout
        assert "pytest" in plan
    elif command.startswith("make"):
        made = readme.ROOT / "build/tables/edelman2022/head/table.csv"
        made.unlink(missing_ok=True)
        subprocess.run(command.split(), cwd=readme.ROOT, check=True, capture_output=True)
        assert made.exists()
    else:
        assert readme.run_command(command, tmp_path)


def test_every_block_is_either_run_or_shown():
    assert {language for language, _ in readme.BLOCK.findall(TEXT)} == {"sh", "python", "text"}
