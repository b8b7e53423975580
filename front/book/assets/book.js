// Search, themes, filters, and what must be reached by keyboard. The pages are whole without it.
(function () {
  "use strict";
  var root = document.body.dataset.root;

  function all(selector, within) {
    return Array.prototype.slice.call((within || document).querySelectorAll(selector));
  }

  // --- theme -----------------------------------------------------------------------------------------------------------

  function dark() {
    var chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  var button = document.querySelector(".theme");
  button.setAttribute("aria-pressed", String(dark()));
  button.addEventListener("click", function () {
    var theme = dark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    button.setAttribute("aria-pressed", String(theme === "dark"));
    try { localStorage.setItem("maurey-theme", theme); } catch (error) { /* not kept */ }
  });

  // --- what scrolls is reached by keyboard, and only that ------------------------------------------------------------------

  function scrollers() {
    all(".scroll, .eq, .step .rhs, .step .lhs, .long, .frame, pre, .sections, .guide table, .guide p").forEach(function (box) {
      var wide = box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX === "auto";
      if (wide && !box.matches(".sections")) {
        box.tabIndex = 0;
        if (!box.matches("table")) box.setAttribute("role", "group");
        if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", "scrolls sideways");
      } else if (box.tabIndex === 0 && !wide) box.removeAttribute("tabindex");
    });
  }
  scrollers();
  addEventListener("resize", scrollers);
  addEventListener("load", scrollers);
  all("details").forEach(function (one) { one.addEventListener("toggle", scrollers); });

  // --- roots: some browsers give every one the room of the largest sign there is -------------------------------------------

  function roots(within) {
    var found = all("msqrt", within).map(function (root) {
      var right = Math.max.apply(null, all(":scope > *", root).map(function (one) { return one.getBoundingClientRect().right; }));
      return { root: root, gap: (root.getBoundingClientRect().right - right) / parseFloat(getComputedStyle(root).fontSize) };
    });
    found.forEach(function (one) { if (one.gap > .08) one.root.style.marginRight = (.06 - one.gap).toFixed(3) + "em"; });
  }
  window.maureyRoots = roots;
  document.fonts.ready.then(function () { roots(document); scrollers(); });
  all("details").forEach(function (one) { one.addEventListener("toggle", function () { roots(one); }); });

  // --- addresses into what is folded -----------------------------------------------------------------------------------------

  function unfold() {
    var target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch (error) { /* names nothing */ }
    for (var box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
    if (target) target.scrollIntoView();
  }
  addEventListener("hashchange", unfold);
  if (location.hash) unfold();

  // --- copying ------------------------------------------------------------------------------------------------------------------

  all(".copy").forEach(function (one) {
    one.addEventListener("click", function () {
      var text = one.dataset.copy || one.parentElement.querySelector("code").textContent;
      var word = one.textContent;
      function done(told) {
        one.textContent = told;
        setTimeout(function () { one.textContent = word; }, 1500);
      }
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(function () { done("copied"); }, function () { done("not allowed"); });
      else done("not allowed");
    });
  });

  // --- the list of claims -------------------------------------------------------------------------------------------------------

  var filter = document.querySelector(".filter");
  if (filter) {
    var choose = function () {
      var wanted = {}, shown = 0;
      all("select", filter).forEach(function (one) { wanted[one.name] = one.value; });
      all(".paper").forEach(function (paper) {
        var left = 0;
        all("tbody tr", paper).forEach(function (row) {
          var fits = Object.keys(wanted).every(function (name) {
            return !wanted[name] || row.dataset[name].split(" ").indexOf(wanted[name]) >= 0;
          });
          row.hidden = !fits;
          left += fits ? 1 : 0;
        });
        paper.hidden = !left;
        shown += left;
      });
      filter.querySelector("output").textContent = shown + (shown === 1 ? " claim" : " claims");
      var chosen = Object.keys(wanted).filter(function (name) { return wanted[name]; });
      history.replaceState(null, "", chosen.length ? "?" + chosen.map(function (n) { return n + "=" + encodeURIComponent(wanted[n]); }).join("&") : location.pathname);
    };
    var asked = new URLSearchParams(location.search);
    all("select", filter).forEach(function (one) {
      var value = asked.get(one.name);
      if (value && all("option", one).some(function (o) { return o.value === value; })) one.value = value;
    });
    filter.addEventListener("change", choose);
    choose();
  }

  // --- search -------------------------------------------------------------------------------------------------------------------

  var field = document.getElementById("search"), box = document.getElementById("found");
  var MARKS = { good: "✓", partly: "✓", bad: "✗", open: "?", none: "·" }, MOST = 12, at = -1;

  function index(then) {
    if (window.MAUREY_INDEX) return then();
    var script = document.createElement("script");
    script.src = root + "assets/index.js";
    script.onload = then;
    document.head.appendChild(script);
  }

  // How well a row fits a word; 0 if it does not. Keys first, then symbols and titles, then words.
  function fit(row, word) {
    var key = row.k.toLowerCase(), number = key.split("/")[1] || "", title = row.t.toLowerCase(), exact = word.toLowerCase();
    if (number === exact || key === exact) return 100;
    if (number.indexOf(exact) === 0) return 60;
    if (key.indexOf(exact) >= 0) return 40;
    if ((" " + row.s + " ").indexOf(" " + word + " ") >= 0) return 50;
    if ((" " + row.s.toLowerCase() + " ").indexOf(" " + exact + " ") >= 0) return 45;
    if (new RegExp("(^|[^a-z])" + exact.replace(/[^\w]/g, "\\$&")).test(title)) return 35;
    if ((" " + row.w).indexOf(" " + exact) >= 0) return 12;
    if (exact.length > 2 && row.s.toLowerCase().indexOf(exact) >= 0) return 8;
    return 0;
  }

  function hits(text) {
    var words = text.trim().split(/\s+/).filter(Boolean), telling = words.filter(function (word) {
      return window.MAUREY_INDEX.common.indexOf(word.toLowerCase()) < 0;
    });
    words = telling.length ? telling : words;
    return window.MAUREY_INDEX.rows.map(function (row) {
      var fits = words.map(function (word) { return fit(row, word); });
      return { row: row, score: fits.indexOf(0) >= 0 ? 0 : fits.reduce(function (a, b) { return a + b; }, 0) + (row.k ? 1 : 0) };
    }).filter(function (one) { return one.score > 0; }).sort(function (a, b) { return b.score - a.score; }).slice(0, MOST);
  }

  function show() {
    var text = field.value;
    if (!text.trim()) return close();
    index(function () {
      if (field.value !== text) return;
      var found = hits(text);
      box.textContent = "";
      found.forEach(function (one, n) {
        var link = document.createElement("a"), under = document.createElement("span"), row = one.row;
        link.href = root + row.u;
        link.id = "hit-" + n;
        link.tabIndex = -1;
        link.setAttribute("role", "option");
        if (row.v) {
          var mark = document.createElement("span");
          mark.className = "mark " + row.v;
          mark.textContent = MARKS[row.v];
          link.appendChild(mark);
        }
        link.appendChild(document.createTextNode(row.t));
        under.className = "quiet";
        under.textContent = (row.k ? row.k + " · " : "") + row.c;
        link.appendChild(under);
        box.appendChild(link);
      });
      if (!found.length) {
        var none = document.createElement("p");
        none.className = "quiet";
        none.setAttribute("role", "option");
        none.setAttribute("aria-selected", "false");
        none.textContent = "Nothing found for “" + text.trim() + "”. Try a key (4.4), a symbol (B_QK_inf) or a word (softmax).";
        box.appendChild(none);
      }
      box.hidden = false;
      field.setAttribute("aria-expanded", "true");
      select(found.length ? 0 : -1);
    });
  }

  function select(n) {
    var links = all("a", box);
    at = links.length ? (n + links.length) % links.length : -1;
    links.forEach(function (link, i) { link.setAttribute("aria-selected", String(i === at)); });
    if (at >= 0) {
      field.setAttribute("aria-activedescendant", links[at].id);
      links[at].scrollIntoView({ block: "nearest" });
    } else field.removeAttribute("aria-activedescendant");
  }

  function close() {
    box.hidden = true;
    at = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }

  field.addEventListener("focus", function () { index(function () {}); });
  field.addEventListener("input", show);
  field.addEventListener("keydown", function (event) {
    if (event.key === "ArrowDown" && !box.hidden) select(at + 1);
    else if (event.key === "ArrowUp" && !box.hidden) select(at - 1);
    else if (event.key === "Escape") { close(); field.blur(); }
    else return;
    event.preventDefault();
  });
  field.form.addEventListener("submit", function (event) {
    event.preventDefault();
    var chosen = all("a", box)[at];
    if (chosen && !box.hidden) location.href = chosen.href;
  });
  document.addEventListener("click", function (event) { if (!field.form.contains(event.target)) close(); });
  document.addEventListener("keydown", function (event) {
    var typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
      field.select();
    }
  });
})();
