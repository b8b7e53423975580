"""Figures of exhibits, drawn from outcomes alone."""

from maurey.paper_tables import exhibits, trained


def drawn_where_all_has_failed(name, outcomes, folder):
    failed = [o for o in outcomes if o.record["status"] == "failed"]
    assert failed
    exhibits.write(name, trained.drawn(name, "paper", failed), folder, 1.0)
    assert (folder / "figure.svg").stat().st_size > 1000


def drawn_twice(name, outcomes, folder):
    """The same bytes."""
    files = []
    for _ in range(2):
        exhibits.write(name, trained.drawn(name, "paper", outcomes), folder, 1.0)
        files.append([(folder / file).read_bytes() for file in ("figure.svg", "figure.png", "table.md")])
    assert files[0] == files[1]
