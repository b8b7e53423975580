"""What a formula can be on a cell or near a point: intervals of balls, Taylor polynomials, floats, other forms of it.
Nothing here decides: what follows from it stands in `decide`."""
