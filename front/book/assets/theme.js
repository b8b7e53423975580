// Before the page is painted: that scripts run, and the theme that was chosen.
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("script");
  try {
    var chosen = localStorage.getItem("maurey-theme");
    if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  } catch (error) { /* no storage: the system's theme */ }
})();
