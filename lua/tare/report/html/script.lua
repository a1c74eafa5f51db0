-- The page's script: sorting, filtering, folding, and the sample below the
-- pointer. The page is whole without.
local tables = [=[
(function () {
  "use strict";
  var all = function (query, root) {
    return Array.prototype.slice.call((root || document)
      .querySelectorAll(query));
  };

  // Sorting: rows without a value stay last, equal ones keep their order.
  function key(row, column, kind) {
    var cell = row.cells[column];
    if (kind === "text") return cell.textContent;
    return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
  }
  function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null) || 0;
    return typeof a === "string"
      ? a.localeCompare(b, undefined, { numeric: true }) : a - b;
  }
  function sort(header) {
    var down = header.getAttribute("aria-sort") === "ascending";
    var body = header.closest("table").tBodies[0];
    var column = header.cellIndex, kind = header.dataset.sort;
    var rows = Array.prototype.map.call(body.rows, function (row, i) {
      return { row: row, key: key(row, column, kind), at: i };
    });
    rows.sort(function (a, b) {
      var order = compare(a.key, b.key);
      var known = a.key !== null && b.key !== null;
      return (down && known ? -order : order) || a.at - b.at;
    });
    rows.forEach(function (entry) { body.appendChild(entry.row); });
    all("th", header.parentNode).forEach(function (other) {
      other.removeAttribute("aria-sort");
    });
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
  }
  all("th[data-sort]").forEach(function (header) {
    var button = document.createElement("button");
    button.type = "button";
    while (header.firstChild) button.appendChild(header.firstChild);
    header.appendChild(button);
    button.addEventListener("click", function () { sort(header); });
  });

]=]

local folding = [=[
  // Filtering by words, in the overview and the results alike.
  function filter(text) {
    var wanted = text.toLowerCase().split(/\s+/);
    function matches(element) {
      var name = element.querySelector(".id").textContent.toLowerCase();
      return wanted.every(function (word) { return name.includes(word); });
    }
    all(".overview tbody tr, .result").forEach(function (element) {
      element.hidden = !matches(element);
    });
    all(".suite").forEach(function (suite) {
      suite.hidden = !suite.querySelector(".result:not([hidden])");
    });
  }
  var field = document.querySelector("#filter");
  if (field) {
    field.addEventListener("input", function () { filter(field.value); });
  }

  // Folding: all at once, for print, and for the target of a link.
  function results() { return all("details.result"); }
  function unfold(open) {
    results().forEach(function (element) { element.open = open; });
  }
  var fold = document.querySelector("#fold");
  if (fold) {
    fold.addEventListener("click", function () {
      unfold(results().some(function (element) { return !element.open; }));
    });
  }
  window.addEventListener("beforeprint", function () { unfold(true); });
  function reveal() {
    var target = location.hash && document.querySelector(location.hash);
    if (target && target.tagName === "DETAILS") {
      target.open = true;
      target.scrollIntoView();
    }
  }
  window.addEventListener("hashchange", reveal);
  if (/^#r\d+$/.test(location.hash)) reveal();
]=]

local readout = [=[
  // The values of the sample next to the pointer.
  var UNITS = {
    ns: [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"], [1e-3, "ps"]],
    bytes: [[1073741824, "GiB"], [1048576, "MiB"], [1024, "KiB"], [1, "B"]]
  };
  function quantity(value, unit) {
    var steps = UNITS[unit];
    if (!steps) return Number(value.toPrecision(4)).toLocaleString("en");
    var step = steps.filter(function (s) { return value >= s[0]; })[0]
      || steps[steps.length - 1];
    return (value / step[0]).toPrecision(4) + "\u00a0" + step[1];
  }
  function reader(text) { // "log 10 1000 ns": a place (0 to 1) as a text
    var part = text.split(" "), low = Number(part[1]), high = Number(part[2]);
    return function (share) {
      return quantity(part[0] === "log" ? low * Math.pow(high / low, share)
        : low + (high - low) * share, part[3]);
    };
  }
  function dots(svg) {
    var list = [];
    all(".dots", svg).forEach(function (path) {
      path.getAttribute("d").replace(/M(-?\d+) (-?\d+)/g, function (_, x, y) {
        list.push([x / 1000, y / 1000]);
      });
    });
    return list;
  }
  function nearest(list, box, x, y) {
    var best = null, least = 400; // within 20 pixels
    list.forEach(function (dot) {
      var dx = dot[0] * box.width - x, dy = dot[1] * box.height - y;
      var far = dx * dx + dy * dy;
      if (far < least) { least = far; best = dot; }
    });
    return best;
  }
  function follow(svg) {
    var list = dots(svg), label = svg.querySelector(".read");
    var read_x = reader(svg.dataset.x);
    var read_y = svg.dataset.y && reader(svg.dataset.y);
    svg.addEventListener("pointermove", function (event) {
      var box = svg.getBoundingClientRect();
      var dot = nearest(list, box, event.clientX - box.left,
        event.clientY - box.top);
      label.textContent = !dot ? "" : read_x(dot[0])
        + (read_y ? ": " + read_y(1 - dot[1]) : "");
    });
    svg.addEventListener("pointerleave", function () {
      label.textContent = "";
    });
  }
  document.addEventListener("pointerover", function (event) {
    var svg = event.target.closest && event.target.closest(".plot");
    if (!svg || svg.dataset.follows) return;
    svg.dataset.follows = "yes";
    follow(svg);
  });
  document.documentElement.classList.add("scripted");
})();
]=]

return tables .. folding .. readout
