"""Families of models: what their configs say, and which tensor is which weight of the class.
A family fills the record of an architecture and names a place for every tensor; it reads no file."""

from collections.abc import Callable

from . import bert, distilbert, gpt2, llama, vit
from .configs import Config
from .places import Reading, Wanted

FAMILIES: dict[str, Callable[[Config, Wanted], Reading]] = {
    "bert": bert.read,
    "roberta": bert.roberta,
    "distilbert": distilbert.read,
    "gpt2": gpt2.read,
    "vit": vit.read,
    "llama": llama.read,
    "mistral": llama.read,
}
