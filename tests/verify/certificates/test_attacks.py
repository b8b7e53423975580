"""Certificates forged by hand, each with its digest and the hashes of its inputs made again: none is let through, and
none brings a checker down."""

import json
import re
from fractions import Fraction as F
from io import BytesIO

import numpy as np
import pytest
from made import INTEGERS, one, resealed

from maurey.symbolic.errors import InputError
from maurey.verify.certificates import messages
from maurey.verify.certificates.certificate import digest, write
from maurey.verify.certificates.checker.check import check
from maurey.verify.certificates.checker.reading import Unsound
from maurey.verify.certificates.losses import File, sha256
from maurey.verify.certificates.making import Request, certificate

HUGE = 10**4000


def top(**changes):
    return lambda path: resealed(path, lambda read: read.update(changes))


def sample(**changes):
    return lambda path: resealed(path, lambda read: read["parts"][0].update(changes))


def part(which, **changes):
    return lambda path: resealed(path, lambda read: read["parts"][which].update(changes))


def dropped(*roles):
    def change(read):
        for role in roles:
            name = read["parts"][0].pop(role)
            read["inputs"].pop(name, None) if isinstance(name, str) else None

    return lambda path: resealed(path, change)


def named(name):
    """The losses under another name."""

    def change(path):
        read = json.loads(path.read_text())
        read["inputs"] = {name: read["inputs"]["errors.csv"]}
        read["parts"][0]["losses"] = name
        read["digest"] = digest(read)
        path.write_text(json.dumps(read))

    return change


def text(old, new):
    return lambda path: path.write_text(path.read_text().replace(old, new))


def a_network_of_later(path):
    """What NumPy raises on an archive of a format that it does not know."""
    later = re.sub(rb"(?s)(PK\x01\x02..).", b"\\1\xff", npz(np.zeros(60)))
    (path.parent / "errors.csv").write_bytes(later)
    sample(executions=True)(path)


def content(name, value):
    def change(path):
        (path.parent / name).write_bytes(value if isinstance(value, bytes) else value.encode())
        resealed(path, lambda read: None)

    return change


def said(status, words):
    return lambda path: resealed(path, lambda read: read["hypotheses"].append({"text": words, "status": status}))


def all_checked(read):
    read["hypotheses"] = [one | {"status": "checked"} for one in read["hypotheses"]]


def npy(array):
    written = BytesIO()
    np.save(written, array, allow_pickle=True)
    return written.getvalue()


def npz(array):
    written = BytesIO()
    np.savez(written, losses=array)
    return written.getvalue()


HEAD = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }".ljust(117) + b"\n"


def held_out_besides(path):
    """The same losses once more, with held-out data named."""
    read = json.loads(path.read_text())
    read["parts"][0]["heldout"], read["inputs"]["data.bin"] = "data.bin", sha256(b"data")
    read["digest"] = digest(read)
    (path.parent / "second.json").write_text(json.dumps(read))


def listed_once_used_twice(path):
    """Two methods for one hypothesis, each with a share that was meant for one."""
    files = {name: File.at(path.parent / file) for name, file in
             (("losses", "errors.csv"), ("hypothesis", "one"), ("hypotheses", "list.txt"))}  # fmt: skip
    write(certificate(Request("prequential", **files)), path.parent / "second.json")


def listed_at_another_level(path):
    """Shares of two deltas: together they are more than the first says."""
    (path.parent / "two").write_bytes(b"two")
    files = {name: File.at(path.parent / file) for name, file in
             (("losses", "errors.csv"), ("hypothesis", "two"), ("hypotheses", "list.txt"))}  # fmt: skip
    write(certificate(Request("holdout", delta=F(1, 2), **files)), path.parent / "second.json")


def a_second_code(path):
    """The same message by a program of one's own: of two codes, each has its delta."""
    files = {name: File.at(path.parent / file) for name, file in (("losses", "errors.csv"), ("message", "message.bin"))}
    write(certificate(Request("occam", **files)), path.parent / "second.json")


def held_out_as(name, known="0" * 64):
    def change(path):
        read = json.loads(path.read_text())
        read["parts"][0]["heldout"], read["inputs"][name] = name, known
        read["digest"] = digest(read)
        path.write_text(json.dumps(read))

    return change


def integers_of_numpy(path):
    """Of the message 2^53, which as a double is 2^53 + 1 too."""
    (path.parent / "message.bin").write_bytes(messages.encode([[2**53]]))
    (path.parent / "integers.npy").write_bytes(npy(np.array([2**53])))
    files = {name: File.at(path.parent / file) for name, file in
             (("losses", "errors.csv"), ("message", "message.bin"), ("decoded", "integers.npy"))}  # fmt: skip
    path.write_text(json.dumps(certificate(Request("occam", **files))))
    check(path)
    content("integers.npy", npy(np.array([2**53 + 1])))(path)


def gaussians_of_whole_numbers(path):
    """Means that are one as doubles; their divergence is 1/2, and 0.32 was said."""
    content("prior.npy", npy(np.array([[2**53, 1]])))(path)
    content("posterior.npy", npy(np.array([[2**53 + 1, 1]])))(path)


COUNT = "by the count of the maker, {} of the 60 samples have the content of a training sample, which is no offence"
ATTACKS = {
    "counted": {
        "another level": top(delta="1/2"),
        "a level as a decimal": top(delta="0.05"),
        "a bound with a power": top(bound="1e-3"),
        "a bound below zero": top(bound="-1"),
        "a bound that is a number": top(bound=1),
        "a surer sentence": text("at least 0.95 over", "at least 0.99 over"),
        "another sentence": lambda path: resealed(path, lambda read: read.update(statement=read["statement"] + " ")),
        "another method": top(method="prequential"),
        "a method that is a list": top(method=["holdout"]),
        "no parts": top(parts=None),
        "parts that are texts": top(parts=["sample", "bound"]),
        "inputs in a list": top(inputs=[]),
        "seeds in seeds": top(seeds={"a": {"b": 1}}),
        "a maker with colours": top(maurey="1\x1b[31m"),
        "a maker that is a number": top(maurey=1),
        "one more field": top(more=1),
        "no errors": part(1, errors=0),
        "errors that are true": part(1, errors=True),
        "a share of its own": part(1, delta="1/10"),
        "one more word in a part": part(1, note="trust me"),
        "a claim of another kind": part(1, key="hoeffding1963/1"),
        "a pool that is true": sample(pool=True),
        "executions of losses": sample(executions=True),
        "executions of an archive of later": a_network_of_later,
        "a window of another method": sample(window="1..60"),
        "held-out data that are a number": sample(heldout=5),
        "held-out data without a hash": held_out_as("data.bin", ""),
        "losses that are none": sample(losses=None),
        "a name that leads up": named(".."),
        "a name with a path": named("./errors.csv"),
        "a name with a zero byte": named("errors.csv\0"),
        "a name that is no text": named("\ud800.csv"),
        "a name that is too long": named("a" * 5000),
        "a name with lines of its own": held_out_as("x\n\nchecked\n  - the earth is flat"),
        "a name with colours": held_out_as("\x1b[31mred"),
        "a hypothesis of its own": said("checked", "the earth is flat"),
        "fewer than none of training": lambda path: (sample(same=-5)(path), said("stated", COUNT.format(-5))(path)),
        "more of training than there are": lambda path: (sample(same=61)(path), said("stated", COUNT.format(61))(path)),
        "all of it checked": lambda path: resealed(path, all_checked),
        "one hypothesis twice": lambda path: resealed(
            path, lambda read: read["hypotheses"].__setitem__(0, read["hypotheses"][1])),
        "a name twice": text('"n": 60', '"n": 60, "n": 60'),
        "a number with a point": text('"n": 60', '"n": 60.0'),
        "a number of many digits": text('"n": 60', f'"n": {"9" * 5000}'),
        "lists in lists": lambda path: path.write_text("[" * 100_000),
        "a loss that never ends": content("errors.csv", "loss\n" + "0\n" * 59 + "1e-999999999\n"),
        "a loss just below zero": content("errors.csv", "loss\n" + "0\n" * 59 + "-1e-400\n"),
        "digits of another script": content("errors.csv", "loss\n" + "٠\n" * 60),
        "a second use with data named": held_out_besides,
    },
    "counted pool": {
        "a pool beyond all pools": lambda path: (sample(pool=HUGE)(path), text("of the 100", f"of the {HUGE}")(path)),
        "a pool that is smaller": sample(pool=59),
    },
    "pool": {
        "a member twice": content("pool.jsonl", '{"loss": 0.5, "index": 3}\n' * 60),
        "a member beyond the pool": sample(pool=61),
    },
    "online": {
        "a window in another script": sample(window="٢١..60"),
        "a window with a space": sample(window=" 21..60"),
        "a window that is empty": sample(window=""),
        "a window without the errors": sample(window="21..22"),
        "no window": dropped("window"),
    },
    "online values": {"a slope that was found": part(2, slope="3/7"), "fewer slopes": part(2, slopes=1)},
    "listed": {
        "a list of one": lambda path: (sample(of=1)(path), part(1, delta="1/20")(path)),
        "a length that is true": sample(of=True),
        "no list": dropped("list", "of"),
        "a hypothesis that is not on it": content("one", b"three"),
        "two uses for one hypothesis": listed_once_used_twice,
        "two levels of one list": listed_at_another_level,
    },
    "best of three": {
        "an array larger than the machine": content("values.npy", b"\x93NUMPY\x01\x00\x76\x00" + HEAD),
        "an archive": content("values.npy", npz(np.zeros(60))),
        "what begins like an archive": content("values.npy", b"PK\x03\x04" + b"0" * 60),
        "a loss that is no number": content("values.npy", npy(np.full(60, np.nan))),
        "complex losses": content("values.npy", npy(np.zeros(60, dtype=complex))),
        "code to run": content("values.npy", npy(np.array([{"a": 1}] * 60, dtype=object))),
    },
    "message": {
        "a decoding that is not shown": dropped("decoded"),
        "blocks without end": content("message.bin", b"\xff" * 9 + b"\x7f"),
        "an empty message": content("message.bin", b""),
        "integers beside others": content("integers.csv", "".join(f"{x},{7 * x}\n" for x in INTEGERS)),
        "integers that are one as doubles": integers_of_numpy,
        "a second code": a_second_code,
    },
    "drawn": {
        "a divergence below zero": part(2, KL="-1"),
        "draws that were not made": part(1, draws=500),
    },
    "Gaussians": {
        "another posterior": content("posterior.npy", npy(np.tile([3.0, 0.5], (4, 1)))),
        "a deviation of none": content("posterior.npy", npy(np.tile([0.0, 0.0], (4, 1)))),
        "fewer parameters": content("posterior.npy", npy(np.tile([0.0, 0.5], (3, 1)))),
        "no prior": dropped("prior"),
        "no parameters": lambda path: (content("prior.npy", npy(np.zeros((0, 2))))(path),
                                       content("posterior.npy", npy(np.zeros((0, 2))))(path)),
        "means that are one as doubles": gaussians_of_whole_numbers,
    },
    "linear head": {"a head that is nearer": part(1, KL="0.5"), "a head that is further": part(1, KL="50")},
}  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, own in ATTACKS.items() for name in own])
def test_what_is_forged(kind, name, tmp_path):
    path = one(tmp_path, kind)
    check(path)
    ATTACKS[kind][name](path)
    if name.startswith("a surer"):
        resealed(path, lambda read: None)
    with pytest.raises((Unsound, InputError)):
        check(path)
