"""Figures of exhibits, drawn from tables alone."""

from io import BytesIO

from maurey.paper_tables import exhibits, style, trained


def data_of(name, made):
    """What the figure of an exhibit is drawn from that was not written."""
    series = exhibits.as_csv(made.series.columns, made.series.rows) if made.series else ""
    return exhibits.data_of(name, made.question, exhibits.as_csv(made.columns, made.rows), series)


def figure_of(name, data, theme="light"):
    with style.theme(theme):
        return exhibits.figure(name, data)


def drawn(name, data, theme="light"):
    """The SVG."""
    svg = BytesIO()
    with style.theme(theme):
        exhibits.figure(name, data).savefig(svg, format="svg", metadata={"Date": None})
    return svg.getvalue()


def drawn_where_all_has_failed(name, outcomes):
    failed = [o for o in outcomes if o.record["status"] == "failed"]
    assert failed
    made = trained.drawn(name, "paper", failed)
    assert len(drawn(name, data_of(name, made))) > 1000
