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
  function unfold(open) {
    all("details").forEach(function (element) { element.open = open; });
  }

  // Parts that reach beyond the window, though nothing scrolls them.
  function overflowing() {
    return all("body *").filter(function (element) {
      if (element.closest(".scroll, .plot > svg, .links")) return false;
      var box = element.getBoundingClientRect();
      return is_shown(box) && (box.right > innerWidth + 0.5 || box.left < -0.5);
    }).map(name);
  }

  // Texts of plots that leave the window, or that overlap; cells whose text
  // does not fit, and so meets that of the next.
  function meets(a, b) {
    return a.left < b.right - 1 && b.left < a.right - 1
      && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  }
  function crowded() {
    var found = [];
    all(".plot").forEach(function (plot) {
      var seen = [];
      all("text", plot).forEach(function (text) {
        var box = text.getBoundingClientRect();
        if (!text.textContent || !is_shown(box)) return;
        if (box.left < 0 || box.right > innerWidth
            || seen.some(function (other) { return meets(box, other); })) {
          found.push(name(text));
        }
        seen.push(box);
      });
    });
    all("td, th").forEach(function (cell) {
      if (cell.scrollWidth > cell.clientWidth + 1) found.push(name(cell));
    });
    return found;
  }

  // Plots without a size, or without a shape in them. Of linear and logarithmic
  // ones one is hidden.
  function undrawn() {
    return all("svg.plot").filter(function (plot) {
      if (getComputedStyle(plot).display === "none") return false;
      var box = plot.getBoundingClientRect();
      var shapes = all(".plot > svg path:not(.grid)", plot)
        .filter(function (shape) {
          return is_shown(shape.getBoundingClientRect());
        });
      return box.width < 120 || box.height < 100 || shapes.length === 0;
    }).map(name);
  }

  // Contents that don't fit their bar.
  function cut() {
    return all("nav, .links").filter(function (element) {
      return element.scrollWidth > element.clientWidth + 1
        || element.scrollHeight > element.clientHeight + 1;
    }).map(name);
  }

  function sorting() {
    var table = all("table.benches").filter(function (candidate) {
      return candidate.tBodies[0].rows.length > 3;
    })[0];
    var header = all("th[data-sort=number]", table)[0], told = [];
    for (var i = 0; i < 2; i++) {
      header.querySelector("button").click();
      told.push(header.getAttribute("aria-sort") + ": "
        + all("tbody tr", table).map(function (row) {
          return row.cells[header.cellIndex].dataset.v || "";
        }).join(" "));
    }
    return told;
  }

  function filtering() {
    var field = document.querySelector("#filter");
    function type(text) {
      field.value = text;
      field.dispatchEvent(new Event("input"));
      return all("tr[data-id]:not([hidden])").length + " "
        + all(".result:not([hidden])").length;
    }
    return [type("STRINGS buf"), type("nowhere"), type("")];
  }

  function pointing() { // at the first batch of a plot with two axes
    var plot = all("svg.plot[data-y]").filter(function (candidate) {
      return candidate.querySelector(".dots")
        && getComputedStyle(candidate).display !== "none";
    })[0];
    var box = plot.getBoundingClientRect();
    var at = plot.querySelector(".dots").getAttribute("d")
      .match(/m(-?\d+) ?(-?\d+)/);
    var where = { bubbles: true, clientX: box.left + at[1] * box.width / 1000,
      clientY: box.top + at[2] * box.height / 250 };
    plot.dispatchEvent(new PointerEvent("pointerover", where));
    plot.dispatchEvent(new PointerEvent("pointermove", where));
    var text = plot.querySelector(".read").textContent;
    plot.dispatchEvent(new PointerEvent("pointerleave", where));
    return text;
  }

  function scaling() {
    function shown() {
      return all(".sweep ~ .plot, .plot.log, .plot.linear")
        .filter(function (plot) {
          return getComputedStyle(plot).display !== "none";
        }).map(function (plot) { return plot.getAttribute("class"); }).join();
    }
    var before = shown();
    document.querySelector("#scale").click();
    var after = shown();
    document.querySelector("#scale").click();
    return [before, after, shown()];
  }

  function picking() {
    var bar = document.querySelector("#picked"), told = [bar.hidden];
    all(".pick").slice(0, 3).forEach(function (box) {
      box.click();
      told.push(bar.textContent);
    });
    told.push(all(".pick:checked").length);
    all(".pick:checked").forEach(function (box) { box.click(); });
    told.push(bar.hidden);
    [0, 2].forEach(function (i) { all(".pick")[i].click(); });
    told.push(bar.textContent); // of two that were not compared
    all(".pick:checked").forEach(function (box) { box.click(); });
    return told;
  }

  // How high the rows of benches are, in pixels, and the bar in them.
  function heights() {
    return all("table.benches tbody tr").map(function (row) {
      var bar = row.querySelector(".spot").getBoundingClientRect();
      return [row.getBoundingClientRect().height, bar.width];
    });
  }

  function revealing() {
    unfold(false);
    location.hash = "#r2";
    window.dispatchEvent(new HashChangeEvent("hashchange"));
    return all("details.result[open]").map(function (element) {
      return element.id + " " + element.getBoundingClientRect().height;
    });
  }

  window.addEventListener("load", function () {
    var told = { width: innerWidth, revealing: revealing() };
    unfold(true);
    told.wide = document.documentElement.scrollWidth > innerWidth;
    told.overflowing = overflowing();
    told.crowded = crowded();
    told.cut = cut();
    told.heights = heights();
    told.undrawn = undrawn();
    told.plots = all("svg.plot").length;
    told.scaling = scaling();
    told.picking = picking();
    told.pointing = pointing();
    told.sorting = sorting();
    told.filtering = filtering();
    told.hints = all("th[title]").length;
    told.hostile = all(".result h3 .id").map(function (element) {
      return element.textContent;
    });
    told.ground = getComputedStyle(document.body).backgroundColor;
    told.problems = window.problems;
    parent.postMessage(JSON.stringify(told), "*");
  });
})();
