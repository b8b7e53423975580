"""Files that replace others: the old one or the new one is there, whole, whatever happens to the writer."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import maurey.verify
from maurey.verify import files
from maurey.verify.files import replace

ROOT = Path(maurey.verify.__file__).parents[1]
ROOMS = ("symbolic", "numeric", "verify", "paper_tables", "front")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kept.txt"
    path.write_text("old")
    return path


def names(file):
    return os.listdir(file.parent)


def test_a_file_is_replaced(file):
    replace(file, "ν and μ")
    assert file.read_bytes() == "ν and μ".encode()
    replace(file, b"\xff\r\n")
    assert file.read_bytes() == b"\xff\r\n"
    assert names(file) == ["kept.txt"]


def test_a_file_is_made_with_its_folder(tmp_path):
    replace(tmp_path / "a" / "b" / "new.txt", "new")
    assert (tmp_path / "a" / "b" / "new.txt").read_text() == "new"
    (tmp_path / "plain.txt").write_text("as everybody writes")
    assert (tmp_path / "a" / "b" / "new.txt").stat().st_mode == (tmp_path / "plain.txt").stat().st_mode


def test_permissions_and_links_stay(file):
    link = file.with_name("link.txt")
    link.symlink_to(file.name)
    file.chmod(0o640)
    replace(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_encoded(file):
    with pytest.raises(UnicodeEncodeError):
        replace(file, "half of it, \udfff")
    assert (file.read_text(), names(file)) == ("old", ["kept.txt"])


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["os.fsync", "shutil.copymode", "Path.replace"])
def test_a_writer_that_fails(file, monkeypatch, step, error):
    """Half of the new file is on the disk then, or all of it."""

    def fail(*_):
        assert len(names(file)) == 2
        raise error

    of, name = step.split(".")
    monkeypatch.setattr(getattr(files, of), name, fail)
    with pytest.raises(type(error)):
        replace(file, "new")
    assert (file.read_text(), names(file)) == ("old", ["kept.txt"])


KILLED = """
import os, sys
from pathlib import Path
from maurey.verify import files
os.fsync = lambda handle: os.kill(os.getpid(), 9)
files.replace(Path(sys.argv[1]), "new" * 100_000)
"""


def test_a_writer_that_is_killed(file):
    assert subprocess.run([sys.executable, "-c", KILLED, file], check=False).returncode == -signal.SIGKILL
    assert file.read_text() == "old"
    assert len(names(file)) == 2  # what it had written; and the next one is not disturbed by it
    replace(file, "new")
    assert file.read_text() == "new"


def test_readers_and_other_writers_see_whole_files(file):
    texts = {letter * 200_000 for letter in "ab"} | {"old"}

    def write(letter):
        for _ in range(20):
            replace(file, letter * 200_000)

    writers = [threading.Thread(target=write, args=(letter,)) for letter in "ab"]
    for writer in writers:
        writer.start()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        seen.add(file.read_text())
    assert seen <= texts
    assert len(seen) > 1
    assert names(file) == ["kept.txt"]


IN_PLACE = re.compile(r"""\.write_(?:text|bytes)\(|json\.dump\(|savefig\((?:file|path)|open\([^()]*["']w""")


def test_one_function_replaces_files():
    for call in ('file.write_text("a")', 'open(file, "w")', "path.open('wb')", "json.dump(a, file)", "savefig(path)"):
        assert IN_PLACE.search(call)
    book = ROOT / "front" / "book" / "build.py"  # a folder beside the other, which it replaces whole
    sources = [file for room in ROOMS for file in (ROOT / room).rglob("*.py") if file != book]
    assert len(sources) > 100
    assert [str(file) for file in sources if IN_PLACE.search(file.read_text())] == []
