"""Checkpoints: a whole report, certified norms against singular values, and one pass against reading."""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from ratios import least_time, report

sys.path.insert(0, str(Path(__file__).parents[1] / "verify" / "models"))
import checkpoint_files as files
import references

from maurey.verify.models.files import safetensors
from maurey.verify.models.numbers.norms import norms
from maurey.verify.models.numbers.spectral import spectral
from maurey.verify.models.numbers.tensors import CELLS, Stored


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """6 x 384, 22.7 million numbers, random."""
    d, words, rng = 384, 30_522, np.random.default_rng(0)
    config = references.bert_config(
        architectures=["BertModel"], vocab_size=words, hidden_size=d, num_hidden_layers=6, num_attention_heads=12,
        intermediate_size=4 * d, max_position_embeddings=512,
    )  # fmt: skip
    shapes = references.bert_shapes(d, 4 * d, 6, 512, "") | references.linear("pooler.dense", d, d)
    shapes["embeddings.word_embeddings.weight"] = (words, d)
    weights = {n: (0.02 * rng.normal(size=shape)).astype(np.float32) for n, shape in shapes.items()}
    weights |= {n: 1 + x for n, x in weights.items() if n.endswith("LayerNorm.weight")}
    folder = tmp_path_factory.mktemp("speed")
    (folder / "config.json").write_text(json.dumps(config))
    files.save(folder / "model.safetensors", weights)
    return folder


@pytest.mark.benchmark(group="models")
def test_a_report_on_bert(benchmark, bert):
    """Under 30 seconds of the processor and 1 GB, on one core."""
    words = ["bound", str(bert), "--head", "2", "--samples", "1000000000", "--json"]
    env, before = os.environ | {"OMP_NUM_THREADS": "1"}, resource.getrusage(resource.RUSAGE_CHILDREN)

    def run():
        return subprocess.run([sys.executable, "-m", "maurey", *words], env=env, capture_output=True, check=True)

    found = json.loads(benchmark.pedantic(run, rounds=1).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report(benchmark, "seconds for a report on BERT, 6 x 384", seconds)
    report(benchmark, "GB at most", after.ru_maxrss / 1e6)
    assert found["parameters"] == "22713984"
    assert seconds < 30
    assert after.ru_maxrss < 1e6


@pytest.mark.benchmark(group="models")
def test_certified_spectral_norms(benchmark):
    """At most 5 times the singular values, within 1 + 1e-8 of each other."""
    A = np.random.default_rng(0).normal(size=(384, 1536)).astype(np.float32)
    stored = Stored("A", "F32", A)
    found = benchmark.pedantic(lambda: spectral(stored), rounds=3)
    ours = least_time(lambda: spectral(stored), 5)
    theirs = least_time(lambda: np.linalg.svd(A.astype(float), compute_uv=False), 5)
    report(benchmark, "times singular values, for certified ones", ours / theirs)
    assert float(found.lower) <= np.linalg.norm(A.astype(float), 2) <= float(found.upper)
    assert found.upper <= found.lower * (1 + 1e-8)
    assert ours < 5 * theirs


SHARDS, TENSORS, SIDE = 3, 10, 8192  # 2,013 million numbers


def sparse(folder):
    """Zeros that take no room, and a row of ones in each tensor."""
    listed = {}
    for shard in range(SHARDS):
        name, each = f"model-{shard}.safetensors", 4 * SIDE * SIDE
        header = {
            f"{shard}.{i}": {"dtype": "F32", "shape": [SIDE, SIDE], "data_offsets": [i * each, (i + 1) * each]}
            for i in range(TENSORS)
        }
        files.write(folder / name, header)
        start = (folder / name).stat().st_size
        os.truncate(folder / name, start + TENSORS * each)
        with (folder / name).open("r+b") as file:
            for i in range(TENSORS):
                file.seek(start + i * each)
                file.write(np.ones(SIDE, np.float32).tobytes())
        listed |= dict.fromkeys(header, name)
    (folder / safetensors.INDEX).write_text(json.dumps({"weight_map": listed}))


def forget(file):
    """What the system keeps of it: whoever reads first would read for the other one."""
    with file.open("rb") as opened:
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@pytest.mark.benchmark(group="models")
def test_one_pass_over_two_billion_numbers(benchmark, tmp_path):
    """No less than a third of the speed of NumPy's reading, in the same chunks."""
    sparse(tmp_path)
    entries = safetensors.entries(tmp_path)
    assert sum(entry.count for entry in entries.values()) > 2e9

    def read(entry):
        with entry.file.open("rb") as file:
            file.seek(entry.start)
            for _ in range(entry.count // CELLS):
                np.fromfile(file, "<f4", CELLS)

    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for n, entry in enumerate(entries.values()):  # in turn, and each is the first one as often as the other
        calls = [("theirs", read), ("ours", lambda entry: norms(entry, one_pass=True))]
        for name, call in calls if n % 2 else calls[::-1]:
            forget(entry.file)
            started = time.process_time()
            found = call(entry)
            times[name].append(time.process_time() - started)
            assert name == "theirs" or float(found.frobenius.upper) == pytest.approx(SIDE**0.5)
    benchmark.pedantic(lambda: norms(entries["0.0"], one_pass=True), rounds=1)
    ours, theirs = (min(times[name]) for name in ("ours", "theirs"))  # of equal tensors
    report(benchmark, "of the speed of reading, for norms in one pass", theirs / ours)
    report(benchmark, "seconds for two billion numbers", sum(times["ours"]))
    assert ours < 3 * theirs
