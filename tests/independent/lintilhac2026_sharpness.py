"""The second computation: Lintilhac and Shaikh 2026, the construction, its gradients and how they move."""

from mpmath import log, mpf, sqrt

from independent.forms import FORMS, several

P = "lintilhac2026/"
ALL, BOTH = ("printed", "derived", "sharp"), ("printed", "derived")
TWO = mpf(2)

# --- Gaussian tails --------------------------------------------------------------------------------------------------


def chi(n, failing):
    """kappa(n, delta)."""
    x = log(1 / failing)
    return sqrt(1 + 2 * sqrt(x / n) + 2 * x / n)


FORMS["laurent2000/1", "squared", "printed"] = lambda n, delta: n * chi(n, delta) ** 2
FORMS["davidson2001/2.13", "operator", "printed"] = lambda d_1, d_2, sigma, delta: (
    sigma * sqrt(d_1) + sigma * sqrt(d_2) + sigma * sqrt(-2 * log(delta))
)
for name in BOTH:
    FORMS[P + "19", "norm", name] = lambda n, sigma, delta: sigma * sqrt(n) * chi(n, delta)
    FORMS[P + "20", "norm", name] = lambda N, d, sigma, delta: sigma * sqrt(d) * chi(d, delta / N)
    FORMS[P + "21", "eta_1", name] = lambda T, sigma, delta, **_: sigma * sqrt(8 * log(2 / delta) + 16 * log(T + 1))
    FORMS[P + "21", "eta_V", name] = lambda T, sigma, delta, **_: (
        sqrt(2 * sigma**2 * (T + 2)) * chi(T + 2, delta / (T + 1))
    )
FORMS[P + "21", "eta_1", "sharp"] = lambda T, sigma, delta, **_: sigma * sqrt(8 * log(1 / delta) + 16 * log(T + 1))

# --- the construction ------------------------------------------------------------------------------------------------


def trapezoids(D, x):
    """The wave: plateaus of half-width 1/(4D), feet of half-width 1/(2D), at the even points of the grid."""
    return sum(min(mpf(1), max(mpf(0), 2 - 4 * D * abs(x - i / D))) for i in range(0, int(D) + 1, 2))


def blocks(omega, D, T):
    """Squared norms of the matrices, entry by entry."""
    D_int = int(D)
    kinks = [(mpf(o) / 4 - i) / D for i in range(D_int + 1) for o in (-2, -1, 1, 2)]
    weights = [4 * D * (i % 2 == 0) for i in range(D_int + 1) for _ in range(4)]
    return {
        "W_1": omega * D * (2 * log(T)) ** 2,
        "W_V": mpf(1),
        "M": mpf(len(kinks)),
        "Gamma": sum(k**2 for k in kinks),
        "F": sum(w**2 for w in weights),
        "W_2": omega * (2 * log(T)) ** 2,
        "v_2": omega,
    }


def closed_blocks(omega, D, T):
    """The same where D is too large for a list."""
    grid = 2 * (D + 1) * (2 * D + 1) / (3 * D) + 5 * (D + 1) / (8 * D**2)
    even = (D + 1) / 2 if D % 2 else D / 2 + 1
    return blocks(omega, mpf(1), T) | {"W_1": 4 * omega * D * log(T) ** 2, "M": 4 * (D + 1), "Gamma": grid,
                                       "F": 64 * D**2 * even}  # fmt: skip


def norms(omega, D, T):
    found = closed_blocks(omega, D, T)
    assert D > 60 or all(abs(found[k] - v) < mpf(10) ** -40 * v for k, v in blocks(omega, D, T).items() if v)
    return found


for name in BOTH:
    FORMS[P + "B", "count", name] = lambda D, T, **_: 3 * (T + 2) ** 2 + (T + 2) + 4 * (D + 1) * (2 * (T + 2) + 1)
    FORMS[P + "B", "leak", name] = lambda omega, T, **_: 1 / (T**2 / (T + 1 - omega) + 1 / sqrt(omega))
    FORMS[P + "9", "wave", name] = trapezoids
FORMS[P + "9", "error", "printed"] = lambda **_: mpf(0)
for block, names in {"W_1": BOTH, "W_V": ("printed",), "M": BOTH, "Gamma": ("derived",), "F": ("derived",),
                     "W_2": ALL, "v_2": ("printed", "sharp")}.items():  # fmt: skip
    for name in names:
        FORMS[P + "10", block, name] = lambda omega=TWO, D=TWO, T=TWO, block=block, **_: norms(omega, D, T)[block]
FORMS[P + "10", "Gamma", "printed"] = lambda D, **_: 4 * D + 4
FORMS[P + "10", "F", "printed"] = lambda D, **_: 16 * D**3 + 16 * D**2
FORMS[P + "10", "total", "printed"] = lambda omega, D, T, **_: (
    1 + omega + 8 * (D + 1) + 16 * D**2 * (D + 1) + 4 * omega * (D + 1) * log(T) ** 2
)
for name in ("derived", "sharp"):
    FORMS[P + "10", "total", name] = lambda omega, D, T, **_: sum(norms(omega, D, T).values())
FORMS[P + "10", "projected", "printed"] = lambda omega, D, T, C0=1, **_: C0 * 4 * omega * D * log(T) ** 2
FORMS[P + "10", "projected", "derived"] = lambda omega, D, T, d, **_: 4 * omega * log(T) ** 2 * (D + (omega + D) / d)

# --- what is computed on the way -------------------------------------------------------------------------------------


def rho(D):
    return (mpf(32) / 3 * D * (D + 1) * (2 * D + 1) + 10 * D + 5) / (16 * D**2)


SAME = {
    "X_rows": lambda **_: sqrt(TWO),
    "X_max": lambda **_: mpf(1),
    "values": lambda **_: mpf(1),
    "b": lambda **_: mpf(1),
    "G_rows": lambda **_: sqrt(TWO),
    "G_max": lambda **_: mpf(1),
    "G_column": lambda T, **_: sqrt(T + 1),
    "G_output": lambda omega, **_: sqrt(omega),
    "keys": lambda T, **_: log(T**2),
    "W_2_output": lambda omega, T, **_: sqrt(omega) * log(T**2),
    "hidden": lambda D, **_: rho(D),
    "Y_rows": lambda T, d, delta, **_: sqrt(1 + chi(d, delta / T) ** 2),
}
for part, value in SAME.items():
    for name in BOTH if part not in ("X_max", "values", "b", "G_rows", "G_max", "G_column") else ("printed",):
        FORMS[P + "11", part, name] = value

# --- gradients -------------------------------------------------------------------------------------------------------


def gradient(omega, D, T):
    """The verified envelope of every block."""
    l2 = log(T) ** 2
    return {
        "v_2": mpf(2),
        "W_2": 2 + omega / 8,
        "F": omega * rho(D),
        "F_pos": omega * (omega + 1) / 4 * rho(D) * l2,
        "M": 32 * omega * D**2 * (D + 1),
        "Gamma": 32 * omega * D**2 * (D + 1),
    }


def G_u(omega, D):
    return 4 + 4 * omega * (2 + D + 32 * D**2 + 32 * D**3)


PRINTED_BLOCKS = {
    "v_2": lambda **_: mpf(4),
    "W_2": lambda omega, **_: 4 * omega,
    "F": lambda omega, D, **_: 4 * omega * (D + 1),
    "M": lambda omega, D, **_: 64 * omega * D**2 * (D + 1),
    "Gamma": lambda omega, D, **_: 64 * omega * D**2 * (D + 1),
    "W_V": lambda **_: mpf(0),
    "W_1": lambda **_: mpf(0),
}
for block in gradient(TWO, TWO, TWO):
    FORMS[P + "14", block, "derived"] = lambda omega, D, T, block=block: gradient(omega, D, T)[block]
for block, value in PRINTED_BLOCKS.items():
    FORMS[P + "14", block, "printed"] = value
FORMS[P + "14", "total", "printed"] = lambda omega, D, **_: G_u(omega, D)
FORMS[P + "14", "total", "derived"] = lambda omega, D, T: sum(gradient(omega, D, T).values())
for part in ("trace", "operator"):
    FORMS[P + "13", part, "printed"] = lambda norm_squared, **_: 2 * norm_squared
FORMS[P + "13", "bound", "printed"] = lambda omega, D, **_: 2 * G_u(omega, D)
FORMS[P + "13", "bound", "derived"] = lambda omega, D, T, **_: 2 * sum(gradient(omega, D, T).values())
several(P + "15", "moved", BOTH)(lambda B_X, B: 2 * B_X * B)
FORMS[P + "15", "moved", "sharp"] = lambda B_X, B: B_X * B

# --- perturbations ---------------------------------------------------------------------------------------------------


def chain(D, omega, T, e, best=False, kinks=False, stated=False):
    """Everything that moves, from the sizes of the perturbations. `best`: constants of our own; `kinks`: units may
    cross them; `stated`: the bound for W_1 as it was stated."""
    M, F, W, Gam, v, n1, nV = (e[k] for k in ("M", "F", "2", "Gamma", "v", "1", "V"))
    H, root2, C, w, top = 4 * (D + 1), sqrt(TWO), sqrt(omega), 2 * sqrt(omega) * log(T), 2 * log(T)
    r, Phi, normF = sqrt(rho(D)), sqrt(32 * D**2 * (D + 1)), 8 * D * sqrt(mpf(int(D) // 2 + 1))
    k = 1 if best else 2
    o = {"b": n1 * (mpf(1) / 2 + nV) + nV if best else 2 * n1 * (1 + nV) + nV}
    own = M * (1 + o["b"]) + Gam
    o["shift"] = o["b"] + own
    whole = not kinks or o["shift"] < 1 / (4 * D)
    o["r"] = sqrt(H) * o["b"] + own
    o["q"] = 4 * D * o["b"] + normF * own + F * (r + o["r"])
    o["g"] = Phi * own + F * (r + o["r"]) if whole else o["q"]
    g, q = o["g"], o["q"]
    o["s"] = k * (w * g + (root2 + g) * (root2 + q) * W + (top + w * g) * q)
    o["y"] = C * g + (root2 + g) * v
    o["f"] = o["s"] * (C / 2 + o["y"] if best else C + o["y"]) + o["y"]
    o["tokens"] = C + C * w / 2 + C * top / 4
    o["delta"] = 3 * C * o["s"] / 2 + o["y"] if best else C * o["s"] + o["y"] + o["f"]
    o["query"] = W * (root2 + q) + w * q
    seen = (root2 + g) * o["delta"] + C * g / 2
    o["output"] = (w + W) * seen + C * W / root2
    o["sum"] = C * o["s"] + v + o["delta"] * (w + o["query"]) + C * o["query"] / 2 + o["output"]
    moved = o["tokens"] + o["sum"]
    o["column"] = (sqrt(H) + M) * F
    o["data"] = o["column"] + M * Phi
    units = F * moved + normF * o["sum"] + (0 if whole else C * normF)
    J = o["data"] * moved + (sqrt(H) + M) * (normF + F) * o["output"]
    J = J if whole else J + (sqrt(H) + M) * (normF + F) * moved
    o["blocks"] = {
        "v_2": root2 * o["s"] + g,
        "W_2": seen * (root2 + q) + sqrt(1 + omega / 16) * q,
        "F": o["r"] * o["tokens"] + (r + o["r"]) * o["sum"],
        "Gamma": units,
        "M": (1 + o["b"]) * units + o["b"] * C * Phi,
        "W_V": root2 * J,
        "W_1": (2 * root2 if stated else 2) * (1 + nV) * J,
    }
    values = o["blocks"].values()
    o["gradient"] = sqrt(sum(x**2 for x in values)) if best else sum(values)
    return o | {"whole": whole, "C": C, "w": w, "top": top, "rho": r, "Phi": Phi, "F": normF, "M": sqrt(H)}


def tails(D, T, sigma, delta):
    """Seven events of probability delta/7."""
    each, n, H = delta / 7, T + 2, 4 * (D + 1)
    spare = sqrt(2 * log(1 / each))
    return {
        "M": sigma * (sqrt(n) + sqrt(H) + spare),
        "F": sigma * (sqrt(n) + sqrt(H) + spare),
        "2": sigma * (2 * sqrt(n) + spare),
        "Gamma": sigma * sqrt(H) * chi(H, each),
        "v": sigma * sqrt(n) * chi(n, each),
        "1": 2 * sigma * sqrt(2 * log(2 * (T + 1) ** 2 / each)),
        "V": sigma * sqrt(2 * n) * chi(n, each / (T + 1)),
    }


def given(e_M, e_F, e_2, e_Gamma, e_v, eta_1, eta_V, **_):
    return {"M": e_M, "F": e_F, "2": e_2, "Gamma": e_Gamma, "v": e_v, "1": eta_1, "V": eta_V}


def at(names, key, part, quantity):
    """A part of a claim for given perturbations."""
    for name in names:

        def value(D, omega, T, name=name, **rest):
            return quantity(chain(D, omega, T, given(**rest), name == "sharp", stated=name == "printed"))

        FORMS[P + key, part, name] = value


for name in ALL:
    FORMS[P + "21", "b", name] = lambda eta_1, eta_V, name=name, **_: (
        eta_1 * (1 + 2 * eta_V) / 2 + eta_V if name == "sharp" else 2 * eta_1 * (1 + eta_V) + eta_V
    )
for key, part in [("22", "shift"), ("22", "r"), ("22", "g"), ("23", "q"), ("25", "column"), ("25", "data"), ("27", "s"),
                  ("28", "delta"), ("28", "query"), ("28", "output"), ("28", "sum")]:  # fmt: skip
    at(ALL, key, part, lambda o, part=part: o[part])
at(ALL, "24", "moved", lambda o: o["f"])
at(ALL, "30", "moved", lambda o: o["gradient"])
for block in ("v_2", "W_2", "F", "Gamma", "M", "W_V", "W_1"):
    at(ALL, "30", f"moved_{block}", lambda o, block=block: o["blocks"][block])
several(P + "26", "active", BOTH)(lambda omega, T, **_: 1 + 2 * sqrt(omega) * log(T))
several(P + "26", "output", BOTH)(lambda omega, T, **_: sqrt(omega) * log(T) / 2)
several(P + "26", "sum", BOTH)(lambda omega, T, **_: sqrt(omega) + omega * log(T) + sqrt(omega) * log(T) / 2)
several(P + "29", "jacobian", BOTH)(lambda Delta: 3 * Delta)
FORMS[P + "29", "jacobian", "sharp"] = lambda Delta: Delta

# --- closed forms in sigma -------------------------------------------------------------------------------------------


def T_p(omega, D, T, sigma):
    return sigma * (128 * D**2 * omega * log(T) + sqrt(2 * (T + 1)) + 32 * sqrt(omega) * D**2)


def G_p(omega, D, T, sigma):
    d, x = T + 1, log(T)
    return sigma * (
        128 * sqrt(2 * omega) * D**2 * x
        + 192 * sqrt(omega) * D**2
        + 128 * sqrt(TWO) * D**2 * omega**2 * x
        + 64 * sqrt(TWO) * d * D**2 * omega**2 * x
        + 128 * d * omega**2 * D * sqrt(D) * x
        + 1024 * D**3 * sqrt(D) * omega * sqrt(omega) * x
        + 8 * sqrt(D * omega) * x * d
        + 256 * D**2 * sqrt(D) * omega**2 * d
        + 32 * sqrt(D) * omega**2 * d**2
    )


def H_u(omega, D, T):
    d = T + 1
    return (
        8 * (D + 1)
        + 6 * (D + 1) * sqrt(omega)
        + 2 * sqrt(3 * T * (D + 1))
        + sqrt(48 * T * D * (D + 1))
        + 3 * D * sqrt(12 * T * (D + 1))
        + (8 * sqrt(TWO) + 2) * D * sqrt(d * T)
        + 8 * sqrt(TWO) * d * D * sqrt(omega)
        + 6 * sqrt(TWO) * d * sqrt(d) * D
    )


def H_p(omega, D, T, sigma):
    d, x, ow, oD = T + 1, log(T), sqrt(omega), sqrt(D)
    return sigma * (
        768 * sqrt(TWO) * D**2 * omega * ow * d * x
        + 256 * omega * ow * d**2 * D * oD * x
        + 1024 * D**3 * oD * omega * ow * x
        + 512 * D**2 * oD * omega * ow * d**2 * x
        + 1536 * D**3 * oD * omega**2 * ow * sqrt(d) * x**2
        + 768 * D**2 * omega**2 * ow * d * x**2
        + 16 * omega**2 * d**2 * sqrt(d) * x
    )


def perturbed(omega, D, T, sigma, delta, best):
    return chain(D, omega, T, tails(D, T, sigma, delta), best, kinks=True)


FORMS[P + "24", "T_p", "printed"] = lambda omega, D, T, sigma, **_: T_p(omega, D, T, sigma)
FORMS[P + "30", "G_p", "printed"] = lambda omega, D, T, sigma, **_: G_p(omega, D, T, sigma)
for name in ("derived", "sharp"):
    for key, part, quantity in (("24", "T_p", "f"), ("30", "G_p", "gradient")):
        FORMS[P + key, part, name] = lambda omega, D, T, sigma, delta, name=name, quantity=quantity, **_: perturbed(
            omega, D, T, sigma, delta, name == "sharp"
        )[quantity]

# --- the Hessian -----------------------------------------------------------------------------------------------------


def norm(*coefficients):
    return sqrt(sum(c**2 for c in coefficients))


def hessian(omega, D, T, e=None, best=False):
    """Second derivatives along a unit direction, block by block: at rest without e, after the move with it."""
    rest = e is None
    e = dict.fromkeys(("M", "F", "2", "Gamma", "v", "1", "V"), mpf(0)) if rest else e
    o, root2, k = chain(D, omega, T, e, best, kinks=not rest), sqrt(TWO), 1 if best else 2
    M, F = o["M"] + e["M"], o["F"] + e["F"]
    steep = 4 * D if rest else M * F
    on, flat = (o["Phi"] + e["F"], o["data"]) if o["whole"] else (F, steep)
    b, r, g, q = 1 + o["b"], o["rho"] + o["r"], root2 + o["g"], root2 + o["q"]
    away = o["w"] * o["g"] + e["2"] * g
    query, keys = o["w"] + o["query"], o["top"] + away
    across, across_out = e["F"] * o["w"] + on * o["query"], e["F"] * o["top"] + F * away
    first = (1 + 2 * e["V"] if best else 4 * (1 + e["V"]), root2)  # of W_1 and of W_V
    second = 0 if rest else 8 * (1 + e["V"]) + 2 * k * root2

    def through(weights, slope):
        return (weights * b, weights, slope * first[0], slope * first[1])

    db = norm(*first)
    dr = norm(b, 1, M * first[0], M * first[1])
    dg = norm(*through(on, flat), r)
    dg_out = norm(*through(F, steep), r)
    dpos = norm(*through(e["F"], e["F"] * M), r)
    du = norm(*(x + y for x, y in zip(through(across, across * M), through(across_out, across_out * M), strict=True)),
              r * query + r * keys, g * q)  # fmt: skip
    v = o["C"] + e["v"]
    dy = norm(v * dg, g)
    ddg = on * db + dr + flat * second
    ddu = (
        (query + keys) * dr
        + (across + across_out) * (db + M * second)
        + q * dg
        + g * dg_out
        + 2 * o["w"] * dpos**2
        + 2 * e["2"] * dg * dg_out
    )
    return (o["C"] / 2 + o["y"]) * ddu + (o["C"] + 2 * o["y"]) * du**2 + 2 * k * du * dy + v * ddg + dg


FORMS[P + "18", "operator", "printed"] = H_u
FORMS[P + "31", "operator", "printed"] = lambda omega, D, T, sigma, **_: H_u(omega, D, T) + H_p(omega, D, T, sigma)


def cost(omega, D, T, sigma, delta, name):
    count = FORMS[P + "B", "count", "printed"](D=D, T=T)
    if name == "printed":
        before, G = G_u(omega, D), G_p(omega, D, T, sigma)
        H, f = FORMS[P + "31", "operator", "printed"](omega, D, T, sigma), T_p(omega, D, T, sigma)
    else:
        before, o = sum(gradient(omega, D, T).values()), perturbed(omega, D, T, sigma, delta, name == "sharp")
        H, G, f = hessian(omega, D, T, tails(D, T, sigma, delta), name == "sharp"), o["gradient"], o["f"]
    return 2 * before, 2 * G * (2 * sqrt(before) + G) + 2 * f * H * count


for name in ALL:
    FORMS[P + "17", "trace", name] = lambda name=name, **point: sum(cost(name=name, **point))
    FORMS[P + "17", "P", name] = lambda name=name, **point: cost(name=name, **point)[1]
for name in ("derived", "sharp"):
    FORMS[P + "18", "operator", name] = lambda omega, D, T, name=name: hessian(omega, D, T, best=name == "sharp")
    FORMS[P + "31", "operator", name] = lambda omega, D, T, sigma, delta, name=name: hessian(
        omega, D, T, tails(D, T, sigma, delta), name == "sharp"
    )

# --- rescaling -------------------------------------------------------------------------------------------------------


def balanced(D):
    """The scale at which a^2 (|M|^2 + |Gamma|^2) and |F|^2/a^2 are equal, and their sum there."""
    norms = blocks(mpf(1), D, mpf(2))
    inner, outer = norms["M"] + norms["Gamma"], norms["F"]
    scale = sqrt(sqrt(outer) / sqrt(inner))
    return scale, scale**2 * inner + outer / scale**2


for name in BOTH:
    FORMS[P + "D", "alpha", name] = lambda D, **_: balanced(D)[0]
    FORMS[P + "D", "network", name] = lambda D, **_: balanced(D)[1]
FORMS[P + "D", "alpha_gradient", "printed"] = lambda **_: mpf(1)


def _(omega, D, T):
    others = blocks(omega, D, T)
    return sum(others[name] for name in ("W_1", "W_V", "W_2", "v_2")) + balanced(D)[1]


FORMS[P + "D", "total", "derived"] = _
