"""Log covering numbers of a BERT-like and a GPT-2-like network once more, in plain mpmath and from the facts alone:
radii forward, Lipschitz constants backward, one weight after the other. Nothing here touches the calculus."""

from dataclasses import dataclass

from mpmath import log as ln
from mpmath import mpf, sqrt

GELU = mpf("1.1289041451851547864")
GELU_TANH = mpf("1.1289930686587717655")


@dataclass
class Weight:
    name: str
    count: mpf  # of all its numbers
    seen: mpf  # of those that a sample of m sequences can name
    effect: mpf  # of a movement of one, on the loss
    reach: mpf  # the longest that it makes of its vectors
    C: tuple = ()  # costs C/eps^2 of its covers, beside counting


def corrections(F, R, N, d_in, d_out):
    """Along coordinates, along a net of outputs, along nets on both sides."""
    FR = (F * R) ** 2
    nets = [
        mpf(64) / 49 * FR * ln(mpf(5) ** d_out * N + 1),
        (mpf(64) / 49) ** 2 * FR * ln(mpf(5) ** (d_in + d_out) + 1),
    ]
    return (d_out * FR * ln(2 * d_out * N + 1), *nets)


class Network:
    """Weights with their effects on what stands directly behind them; `behind` multiplies all that came before."""

    def __init__(self, s, n, m):
        self.s, self.n, self.m, self.weights = s, n, m, []
        self.N = m * s["T"]

    def behind(self, factor):
        for w in self.weights:
            w.effect *= factor

    def matrix(self, name, d_out, d_in, B, R, effect=1, N=None):
        F = min(sqrt(mpf(min(d_out, d_in))) * B, self.n.get(f"{name}_F", mpf("inf")))
        p = mpf(d_out) * d_in
        self.weights.append(Weight(name, p, p, mpf(effect), B * R, corrections(F, R, N or self.N, d_in, d_out)))

    def vector(self, name, d, B, effect=1, R=1):
        self.weights.append(Weight(name, mpf(d), mpf(d), mpf(effect), B * R))

    def table(self, name, number, effect=1):
        d = self.s["d"]
        seen = min(mpf(number), self.N)
        self.weights.append(Weight(name, mpf(d) * number, d * seen, mpf(effect), self.n[f"{name}_rows"]))

    def norm(self, site):
        """LayerNorm: behind it the radius is known; its gain acts on vectors of norm sqrt(d)."""
        d, g, b = self.s["d"], self.n[f"{site}_gain"], self.n.get(f"{site}_bias", mpf(0))
        self.behind(g / sqrt(self.s["eps"]))
        self.vector(f"{site}_gain", d, g, R=sqrt(mpf(d)))
        if f"{site}_bias" in self.n:
            self.vector(f"{site}_bias", d, b)
        return g * sqrt(mpf(d)) + b, g / sqrt(self.s["eps"])

    def attention(self, R):
        """Its weights, its radius and its Lipschitz constant; what came before is not multiplied."""
        n, d, H = self.n, self.s["d"], mpf(self.s["H"])
        k = d / H
        q, v, o = (n.get(f"{x}_bias", mpf(0)) for x in "QVO")
        per_score = n["O"] * n["V"] * R
        own = Network(self.s, n, self.m)
        own.matrix("Q", d, d, n["Q"], R, per_score * n["K"] * R / sqrt(k))
        own.matrix("K", d, d, n["K"], R, per_score * (n["Q"] * R + q) / sqrt(k))
        own.matrix("V", d, d, n["V"], R, n["O"] * sqrt(H))
        values = min(sqrt(H) * n["V"], n.get("V_F", mpf("inf")))  # of all heads together
        together = values * R + v
        own.matrix("O", d, d, n["O"], together)
        for x, effect in (("Q", per_score * n["K"] * R / sqrt(k)), ("V", n["O"]), ("O", 1)):
            if f"{x}_bias" in n:
                own.vector(f"{x}_bias", d, n[f"{x}_bias"], effect)
        s = n["K"] * n["Q"] / sqrt(k)
        a = s * R + n["K"] * q / sqrt(k)
        moved = sqrt(values**2 + (n["V"] * R * a) ** 2) + n["V"] * s * R**2
        return own.weights, n["O"] * together + o, n["O"] * moved

    def mlp(self, R, slope):
        n, d, wide = self.n, self.s["d"], self.s["d_ff"]
        b1, b2 = (n.get(f"{x}_bias", mpf(0)) for x in ("W1", "W2"))
        own = Network(self.s, n, self.m)
        own.matrix("W1", wide, d, n["W1"], R, n["W2"] * slope)
        inner = n["W1"] * R + b1
        own.matrix("W2", d, wide, n["W2"], inner)
        for x, size, effect in (("W1", wide, n["W2"] * slope), ("W2", d, 1)):
            if f"{x}_bias" in n:
                own.vector(f"{x}_bias", size, n[f"{x}_bias"], effect)
        return own.weights, n["W2"] * inner + b2, n["W2"] * slope * n["W1"]


def bert(s, n, m):
    """Post-norm, positions and types, the mean token, K classes, a ramp of margin 1."""
    net = Network(s, n, m)
    for name, number in (("E", s["K"]), ("P", s["T"]), ("S", s["types"])):
        net.table(name, number)
    R, _ = net.norm("N0")
    for _ in range(s["L"]):
        for site, part in (("N1", net.attention), ("N2", lambda R: net.mlp(R, GELU))):
            own, _, lip = part(R)
            net.behind(1 + lip)
            net.weights += own
            R, _ = net.norm(site)
    d, C = s["d"], s["classes"]
    net.behind(n["head"])  # its rows, which its spectral norm bounds
    F = sqrt(mpf(min(C, d))) * n["head"]
    one_functional = (F * R) ** 2 * ln(2 * (m * C) + 1)
    net.weights.append(Weight("head", mpf(C) * d, mpf(C) * d, mpf(1), n["head"] * R, (one_functional,)))
    net.behind(mpf(2))  # of the margin
    return net.weights


def gpt(s, n, m):
    """Pre-norm, tied, every token read, cross-entropy."""
    net = Network(s, n, m)
    net.table("E", s["K"])
    net.table("P", s["T"])
    for _ in range(s["L"]):
        for site, part in (("N1", net.attention), ("N2", lambda R: net.mlp(R, GELU_TANH))):
            inner = Network(s, n, m)
            R, lip_norm = (n[f"{site}_gain"] * sqrt(mpf(s["d"])), n[f"{site}_gain"] / sqrt(s["eps"]))
            inner.vector(f"{site}_gain", s["d"], n[f"{site}_gain"], R=sqrt(mpf(s["d"])))
            own, _, lip = part(R)
            inner.behind(lip)
            net.behind(1 + lip * lip_norm)
            net.weights += [*inner.weights, *own]
    R, _ = net.norm("N3")
    rows = n["E_rows"]
    net.behind(rows)
    table = net.weights[0]
    table.effect += R  # the scores, per unit by which a row of the table moves
    table.seen = table.count  # all words have a score
    net.behind(mpf(2))
    return net.weights


# --- log covering numbers of the losses -------------------------------------------------------------------------------


def by_counting(weights, eps, everywhere=True):
    """Each weight gets as much of the error as it has of the parameters."""
    p = [w.count if everywhere else w.seen for w in weights]
    shares = [eps * own / sum(p) / w.effect for own, w in zip(p, weights, strict=True)]
    return sum(own * ln(1 + 2 * w.reach / x) for own, w, x in zip(p, weights, shares, strict=True))


def by_norms(weights, everywhere=False):
    """C of C/eps^2 at the best split; with `everywhere`, from covers for all inputs at once."""
    total = mpf(0)
    for w in weights:
        count = w.count if everywhere else w.seen
        costs = [ln(mpf(3)) * count * w.reach**2]
        costs += w.C[2:] if everywhere else w.C
        total += min(costs) ** (mpf(1) / 3) * w.effect ** (mpf(2) / 3)
    return total**3
