"""What is known of each claim of the paper, and of those it rests on."""

from functools import partial

from maurey.paper_tables.evidence import evidence

make = partial(evidence, "lintilhac2026")
