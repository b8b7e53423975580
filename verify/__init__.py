"""Whether it is true: who checks what (`checks`), what comes of it (`matrix`), what is remembered (`ledger`).
The arguments themselves live in the rooms below, and a paper's own in `papers`; nothing here knows a paper by name."""
