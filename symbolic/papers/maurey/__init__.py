"""Better constants and covers, routes to bounds and what modules of real Transformers do, proved here in brief; the
`sharp` forms of the papers' claims use them, and so do bounds of one's own."""
