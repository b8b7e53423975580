"""Figures of exhibits, drawn from outcomes alone."""

from maurey.paper_tables import exhibits, trained


def drawn_where_all_has_failed(name, outcomes, folder):
    failed = [o for o in outcomes if o.record["status"] == "failed"]
    assert failed
    exhibits.write(name, trained.drawn(name, "paper", failed), folder, 1.0)
    assert (folder / "figure.svg").stat().st_size > 1000
