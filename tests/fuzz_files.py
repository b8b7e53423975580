"""What calls of bound, certify and check-certificate are given to read: whole files, damaged ones, and others."""

import contextlib
import io
import json
import os
import random
import re
import sys
import tempfile
from functools import cache
from pathlib import Path

from models import FAMILIES, NORMS, SIZES

from maurey import cli
from maurey.verify.certificates.certificate import digest

NAMES = {
    "bound": ("model.toml", "net"),
    "certify": ("losses.csv", "losses.jsonl", "losses.npy", "rows.csv", "rules.csv", "message.json"),
    "check-certificate": ("holdout.json", "prequential.json", "pac-bayes.json"),
}
STRANGE = (
    "", "0", "-1", "1", "2", "1e400", "nan", "inf", "-inf", '"x"', "[]", "[1, 2]", "{}", "true", '"\\u0000"', "0.5",
    "99999999999999999999", "1e-400", '"ä"', "null", "'", "[[", "1979-05-27",
)  # fmt: skip
CELLS = ("0", "1", "0.5", "0.25", "1e-9", "2", "-1", "nan", "inf", "x", "", '"', "1e400", "1" * 500, "٣", "\0")
MAKING = (
    ["holdout", "--losses", "losses.csv"],
    ["prequential", "--losses", "losses.csv"],
    ["pac-bayes", "--losses", "rows.csv", "--kl", "3"],
)


def files(command: str, seed: int, number: int) -> dict[str, bytes]:
    """The same for the same numbers."""
    rng = random.Random(f"{seed}/{number}/files")
    if command == "bound":
        return {"model.toml": _damaged(rng, _model(rng), 0.5)} | _checkpoint(rng)
    if command == "certify":
        return {name: _losses(rng, name) for name in NAMES[command]}
    if command == "check-certificate":
        whole = certificates()
        kept = {name: content for name, content in whole.items() if not name.endswith(".json")}
        return kept | {name: _sealed(rng, _damaged(rng, whole[name].decode(), 0.8)) for name in NAMES[command]}
    return {}


def written(content: dict[str, bytes], folder: Path) -> set[str]:
    for name, found in content.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(found)
    return set(content)


def as_shell(content: dict[str, bytes], words: list[str]) -> str:
    """What makes again those that the words name."""
    named = {name for name in content for word in words if name == word or name.startswith(f"{word}/")}
    if words[:1] == ["check-certificate"]:
        named |= {name for name in content if not name.endswith(".json")}
    made = ["mkdir -p net"] * any("/" in name for name in named)
    for name in sorted(named):
        text = "".join(chr(b) if 32 <= b < 127 and chr(b) not in "'\\%" else f"\\{b:03o}" for b in content[name])
        made.append(f"printf '{text}' > {name}")
    return "".join(f"{one}; " for one in made)


@cache
def certificates() -> dict[str, bytes]:
    """Whole ones, as the command makes them, with their inputs."""
    before, arguments = Path.cwd(), sys.argv
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("losses.csv").write_text("loss\n" + "0\n1\n0\n0\n0.5\n" * 8)
            Path("rows.csv").write_text("0,1,0,0,0\n1,0,0,0,0\n")
            for words in MAKING:
                sys.argv = ["maurey", "certify", *words, "--out", f"{words[0]}.json"]
                with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
                    cli.main()
                if words[0] != "pac-bayes":  # data with two certificates are refused
                    Path("losses.csv").rename(f"{words[0]}.csv")
                    text = Path(f"{words[0]}.json").read_text().replace("losses.csv", f"{words[0]}.csv")
                    Path(f"{words[0]}.json").write_text(text)
                    Path("losses.csv").write_text("loss\n" + "0\n0\n1\n0\n0\n" * 8)
            return {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        finally:
            os.chdir(before)
            sys.argv = arguments


def _model(rng: random.Random) -> str:
    family = rng.choice(list(FAMILIES))
    loss = rng.choice(({"kind": "ramp", "margin": 1}, {"kind": "0-1"}, {"kind": "cross-entropy", "cap": 8}))
    tables = {"model": SIZES | FAMILIES[family], "norms": NORMS[family] if rng.random() < 0.7 else {}, "loss": loss}
    lines = []
    for name, rows in tables.items():
        lines += [f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in rows.items())]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value) if isinstance(value, (str, bool, int)) else str(float(value))  # type: ignore[arg-type]


def _checkpoint(rng: random.Random) -> dict[str, bytes]:
    config = {"model_type": rng.choice(("gpt2", "bert", "llama", "vit", "roberta", "t5", 3)), "n_layer": 1, "n_embd": 4,
              "n_head": 2, "vocab_size": 5, "n_positions": 3, "hidden_size": 4, "num_hidden_layers": 1,
              "num_attention_heads": 2, "intermediate_size": 4, "max_position_embeddings": 3}  # fmt: skip
    names = ("wte.weight", "h.0.attn.c_attn.weight", "ln_f.weight", "embeddings.word_embeddings.weight", "\0", "")
    tensor = {"dtype": rng.choice(("F32", "BF16", "I64", "F9")), "shape": rng.choice(([2], [], [-1])),
              "data_offsets": rng.choice(([0, 8], [0, 10**9], [8, 0], ["a"]))}  # fmt: skip
    text = json.dumps({rng.choice(names): tensor}).encode()
    size = rng.choice((len(text), len(text), 0, 10**12))
    return {"net/config.json": _damaged(rng, json.dumps(config, indent=1), 0.5),
            "net/model.safetensors": size.to_bytes(8, "little") + text + bytes(8)}  # fmt: skip


def _losses(rng: random.Random, name: str) -> bytes:
    kind, size = name.partition(".")[2], rng.choice((1, 2, 5, 40, 300))
    pool = CELLS[:4] if rng.random() < 0.7 else CELLS
    cells = [rng.choice(pool) for _ in range(size)]
    if kind == "npy":
        import numpy as np

        held = io.BytesIO()
        shape = rng.choice(((size,), (size,), (1, size), (), (size, 0)))
        row = np.array(rng.choices((0, 1, 0.5), k=size) if rng.random() < 0.8 else [2.0] * size)
        row = row.astype(rng.choice(("f8", "f8", "i8", "?", "c16", "U3")))
        np.save(held, row if shape == (size,) else np.zeros(shape))
        return _changed(rng, held.getvalue(), 0.2)
    if name == "rules.csv":
        header = rng.choice(("mean,sigma", "mean,sigma", "mean", "sigma,sigma"))
        return "\n".join([header, *(f"{cell},{rng.choice(pool)}" for cell in cells)]).encode()
    if kind == "jsonl":
        rows = [rng.choice((f'{{"loss": {cell}}}', cell, f"[{cell}]")) for cell in cells]
        return "\n".join(rows if rng.random() < 0.5 else [f'{{"loss": {cell}}}' for cell in cells]).encode()
    if kind == "json":
        return rng.choice(("[1, 2, 3]", "[[1, 0], [2]]", "{}", "", "[" * 3000, "[-1]", "[1e9]", '["a"]')).encode()
    if name == "rows.csv":
        return "\n".join(",".join(cells[i : i + 5]) for i in range(0, size, 5)).encode()
    header = rng.choice(("loss\n", "loss\n", "", "index,loss\n", "label,prediction\n", "loss,loss\n"))
    wide = header.count(",")
    return (header + "".join(f"{i},{cell}\n" if wide else f"{cell}\n" for i, cell in enumerate(cells))).encode()


def _damaged(rng: random.Random, text: str, how_often: float) -> bytes:
    """With a value, a line or a few bytes changed."""
    if rng.random() > how_often:
        return text.encode()
    values = list(re.finditer(r"(?<=[=:] )[^\n,]+", text))
    lines = text.splitlines(keepends=True)
    match rng.randrange(4):
        case 0 if lines:
            del lines[rng.randrange(len(lines))]
            return "".join(lines).encode()
        case 1:
            return _changed(rng, text.encode(), 1)
    for one in sorted(rng.sample(values, min(len(values), rng.choice((1, 1, 2)))), key=lambda m: -m.start()):
        text = text[: one.start()] + rng.choice(STRANGE) + text[one.end() :]
    return text.encode()


def _sealed(rng: random.Random, content: bytes) -> bytes:
    """Nearly always with a digest that fits, so that more than that is looked at."""
    try:
        read = json.loads(content)
        return json.dumps(read | {"digest": digest(read)}).encode() if rng.random() < 0.9 else content
    except (ValueError, TypeError, AttributeError):
        return content


def _changed(rng: random.Random, content: bytes, how_often: float) -> bytes:
    if rng.random() > how_often or not content:
        return content
    place = rng.randrange(len(content))
    return rng.choice((content[:place], content[:place] + rng.randbytes(2) + content[place + 2 :], content * 2, b""))
