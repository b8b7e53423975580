"""Maps the rooms at the top level into one package: front/ is maurey, symbolic/ is maurey.symbolic, and so on."""

from setuptools import find_packages, setup

rooms = {"maurey": "front"} | {f"maurey.{room}": room for room in ("symbolic", "numeric", "verify", "paper_tables")}
packages = [name for top, room in rooms.items() for name in (top, *(f"{top}.{inner}" for inner in find_packages(room)))]

setup(
    packages=packages,
    package_dir=rooms,
    package_data={"": ["py.typed", "*.toml", "*.csv", "*.md", "*.tex", "*.svg", "*.png", "*.json", "*.jsonl"]},
)
