"""Maps the rooms at the top level into one package: front/ is maurey, symbolic/ is maurey.symbolic, and so on."""

from setuptools import find_packages, setup

rooms = {"maurey": "front"} | {f"maurey.{room}": room for room in ("symbolic", "numeric", "verify", "paper_tables")}
packages = [name for top, room in rooms.items() for name in (top, *(f"{top}.{inner}" for inner in find_packages(room)))]
guides = {"maurey.docs": "docs", "maurey.docs.examples": "docs/examples"}  # what `maurey book` renders
BOOK = [f"{folder}/*" for folder in ("templates", "assets", "assets/explorer", "assets/fonts", "temml")]

setup(
    packages=[*packages, *guides],
    package_dir=rooms | guides,
    package_data={
        "": ["py.typed", "*.toml", "*.csv", "*.md", "*.tex", "*.svg", "*.png", "*.json", "*.jsonl"],
        "maurey.book": BOOK,
    },
)
