"""Certificates of every kind, small enough to be made and checked by the hundred."""

import json
from fractions import Fraction as F

import numpy as np

from maurey.verify.certificates import messages
from maurey.verify.certificates.certificate import digest, write
from maurey.verify.certificates.losses import File, sha256
from maurey.verify.certificates.making import Request, certificate

INTEGERS = [3, -1, 0, 0, 2, 3, 3, -2, 0, 0, 0, 1]


def files(folder, n=60, seed=0):
    """Losses of several kinds, a message, drawn networks, Gaussians."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    errors = rng.random(n) < 0.1
    (folder / "errors.csv").write_text("loss\n" + "\n".join("1" if x else "0" for x in errors) + "\n")
    np.save(folder / "values.npy", rng.beta(2, 9, n))
    rows = [json.dumps({"loss": round(float(x), 6), "index": int(i)}) for x, i in zip(
        rng.beta(3, 5, n), rng.permutation(3 * n)[:n], strict=True)]  # fmt: skip
    (folder / "pool.jsonl").write_text("\n".join(rows) + "\n")
    (folder / "message.bin").write_bytes(messages.encode([INTEGERS]))
    (folder / "integers.csv").write_text("integer\n" + "\n".join(map(str, INTEGERS)) + "\n")
    np.save(folder / "drawn.npy", rng.beta(2, 9, (5, n)))
    prior = np.stack([rng.normal(size=4), np.full(4, 0.5)], 1)
    np.save(folder / "prior.npy", prior)
    np.save(folder / "posterior.npy", prior + np.array([0.1, 0.125]))
    (folder / "margins.csv").write_text("margin\n" + "\n".join(f"{x:.5f}" for x in rng.uniform(-0.2, 1, n)) + "\n")
    (folder / "list.txt").write_text(f"{sha256(b'one')}  one\n{sha256(b'two')}  two\n")
    (folder / "one").write_bytes(b"one")
    return folder


def requests(folder):
    def of(method, losses, **more):
        files = ("message", "decoded", "prior", "posterior", "hypothesis", "hypotheses", "heldout")
        own = {name: File.at(folder / x) if name in files else x for name, x in more.items()}
        return Request(method, File.at(folder / losses), **own)

    code = {"message": "message.bin", "decoded": "integers.csv"}
    makers = {
        "counted": lambda: of("holdout", "errors.csv"),
        "best of three": lambda: of("holdout", "values.npy", delta=F(1, 10)),
        "pool": lambda: of("holdout", "pool.jsonl", pool=200),
        "counted pool": lambda: of("holdout", "errors.csv", pool=100),
        "listed": lambda: of("holdout", "errors.csv", hypothesis="one", hypotheses="list.txt"),
        "online": lambda: of("prequential", "errors.csv", window=(21, 60)),
        "online values": lambda: of("prequential", "values.npy"),
        "message": lambda: of("occam", "errors.csv", **code),
        "message, values": lambda: of("occam", "values.npy", **code),
        "drawn": lambda: of("pac-bayes", "drawn.npy", KL=F(1, 3)),
        "Gaussians": lambda: of("pac-bayes", "drawn.npy", prior="prior.npy", posterior="posterior.npy"),
        "linear head": lambda: of("pac-bayes", "margins.csv", KL=F(9, 2)),
    }
    return makers


def one(folder, name):
    """In a folder of its own, for no two may lie in one."""
    asked = requests(files(folder))[name]()
    path = folder / "certificate.json"
    write(certificate(asked), path)
    return path


def resealed(path, change):
    """The record changed by a function, the hashes of its inputs and its digest made again."""
    read = json.loads(path.read_text())
    change(read)
    for name in read["inputs"]:
        if (path.parent / name).is_file():
            read["inputs"][name] = sha256((path.parent / name).read_bytes())
    read["digest"] = digest(read)
    path.write_text(json.dumps(read, indent=1))
