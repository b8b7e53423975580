"""Maps the rooms at the top level into one package: front/ is maurey, symbolic/ is maurey.symbolic, and so on."""

from setuptools import find_packages, setup

rooms = ("symbolic", "numeric", "verify", "paper_tables")
packages = ["maurey"]
for room in rooms:
    packages += [f"maurey.{room}", *(f"maurey.{room}.{package}" for package in find_packages(room))]

setup(
    packages=packages,
    package_dir={"maurey": "front", **{f"maurey.{room}": room for room in rooms}},
    package_data={"": ["py.typed", "*.toml", "*.csv", "*.md", "*.tex", "*.svg", "*.png", "*.json", "*.jsonl"]},
)
