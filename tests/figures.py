"""Figures of exhibits, drawn from outcomes alone."""

from io import BytesIO

from maurey.paper_tables import trained


def drawn(made, layout="none"):
    """The SVG alone: the PNG has the same artists, and takes longer. So does a layout, which only moves the panels."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "maurey", "font.size": 9}):
        figure, svg = Figure(figsize=made.figure_size, layout=layout), BytesIO()
        made.draw(figure)
        figure.savefig(svg, format="svg", metadata={"Date": None})
    return svg.getvalue()


def drawn_where_all_has_failed(name, outcomes):
    failed = [o for o in outcomes if o.record["status"] == "failed"]
    assert failed
    assert len(drawn(trained.drawn(name, "paper", failed))) > 1000
