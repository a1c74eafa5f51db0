// Runs inside a rendered page and tells the page around it what it found.
(function () {
  "use strict";
  var all = function (query, root) {
    return Array.prototype.slice.call((root || document)
      .querySelectorAll(query));
  };
  function name(element) {
    var part = element.closest("[id]");
    return element.tagName + "." + (element.getAttribute("class") || "")
      + " of #" + (part ? part.id : "") + " "
      + (element.textContent || "").slice(0, 30);
  }
  function is_shown(box) { return box.width > 0 || box.height > 0; }

  // Parts that reach beyond the window, though nothing scrolls them.
  function overflowing() {
    return all("body *").filter(function (element) {
      if (element.closest(".scroll, .canvas")) return false;
      var box = element.getBoundingClientRect();
      return is_shown(box) && (box.right > innerWidth + 0.5 || box.left < -0.5);
    }).map(name);
  }

  // Texts of plots that leave their card, or lie on each other.
  function meets(a, b) {
    return a.left < b.right - 1 && b.left < a.right - 1
      && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  }
  function crowded() {
    var found = [];
    all(".plot, .ratio svg").forEach(function (plot) {
      var card = plot.closest(".card").getBoundingClientRect(), seen = [];
      all("text", plot).forEach(function (text) {
        var box = text.getBoundingClientRect();
        if (!text.textContent || !is_shown(box)) return;
        if (box.left < card.left || box.right > card.right
            || seen.some(function (other) { return meets(box, other); })) {
          found.push(name(text));
        }
        seen.push(box);
      });
    });
    return found;
  }

  // Plots without a size, or without a shape in them.
  function undrawn() {
    return all("svg.plot").filter(function (plot) {
      var box = plot.getBoundingClientRect();
      var shapes = all(".canvas .dots, .canvas .line, .canvas .area", plot)
        .filter(function (shape) {
          return is_shown(shape.getBoundingClientRect());
        });
      return box.width < 120 || box.height < 100 || shapes.length === 0;
    }).map(name);
  }

  function column(index) {
    return all(".overview tbody tr").map(function (row) {
      return row.cells[index].dataset.v || "";
    }).join(" ");
  }
  function sorting() {
    var header = all(".overview th[data-sort=number]")[0];
    var told = [];
    for (var i = 0; i < 2; i++) {
      header.querySelector("button").click();
      told.push(header.getAttribute("aria-sort") + ": "
        + column(header.cellIndex));
    }
    return told;
  }

  function filtering() {
    var field = document.querySelector("#filter");
    function type(text) {
      field.value = text;
      field.dispatchEvent(new Event("input"));
      return all(".overview tbody tr:not([hidden])").length + " "
        + all(".result:not([hidden])").length;
    }
    return [type("VEC append"), type("nowhere"), type("")];
  }

  function pointing() { // at the first sample of a plot of time and size
    var plot = all("svg.plot[data-y]")[0], box = plot.getBoundingClientRect();
    var at = plot.querySelector(".dots").getAttribute("d")
      .match(/M(\d+) (\d+)/);
    var where = { bubbles: true, clientX: box.left + at[1] * box.width / 1000,
      clientY: box.top + at[2] * box.height / 1000 };
    plot.dispatchEvent(new PointerEvent("pointerover", where));
    plot.dispatchEvent(new PointerEvent("pointermove", where));
    return plot.querySelector(".read").textContent;
  }

  function unfolding() {
    var states = [];
    for (var i = 0; i < 2; i++) {
      document.querySelector("#fold").click();
      states.push(all("details.result[open]").length);
    }
    location.hash = "#r2";
    window.dispatchEvent(new HashChangeEvent("hashchange"));
    states.push(all("details.result[open]").length);
    document.querySelector("#fold").click();
    return states;
  }

  window.addEventListener("load", function () {
    var told = { width: innerWidth, folding: unfolding(),
      wide: document.documentElement.scrollWidth > innerWidth,
      overflowing: overflowing(), crowded: crowded(), undrawn: undrawn(),
      plots: all("svg.plot").length, sorting: sorting(),
      filtering: filtering(), pointing: pointing(),
      hostile: all(".suite h2 .id").pop().textContent,
      ground: getComputedStyle(document.body).backgroundColor };
    told.problems = window.problems;
    parent.postMessage(JSON.stringify(told), "*");
  });
})();
