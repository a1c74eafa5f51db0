-- The page's script: sorting, filtering, the scale of the axes, two benches
-- compared, and the batch below the pointer. The page is whole without.
return [=[
(function () {
  "use strict";
  var root = document.documentElement;
  var all = function (query, from) {
    return Array.prototype.slice.call((from || document)
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
  all("table.benches th[data-sort], table.changes th[data-sort]")
    .forEach(function (header) {
      var button = document.createElement("button");
      button.type = "button";
      while (header.firstChild) button.appendChild(header.firstChild);
      header.appendChild(button);
      button.addEventListener("click", function () { sort(header); });
    });

  // Flame graphs: a frame that is clicked gets the whole width, those below and
  // above it stay in sight; names that are searched for are marked.
  all(".flame").forEach(function (figure) {
    var frames = all(".frame", figure).map(function (node) {
      return { node: node, x: Number(node.dataset.x),
        w: Number(node.dataset.w), y: Number(node.getAttribute("y")),
        name: node.querySelector("text").textContent.toLowerCase() };
    });
    var slack = 1e-4; // of positions that are written with five digits
    function zoom(to) {
      frames.forEach(function (f) {
        var around = f.x <= to.x + slack && f.x + f.w >= to.x + to.w - slack;
        var inside = f.x >= to.x - slack && f.x + f.w <= to.x + to.w + slack;
        var shown = f.y < to.y ? around : inside;
        f.node.style.display = shown ? "" : "none";
        if (!shown) return;
        var x = f.y < to.y ? 0 : (f.x - to.x) / to.w;
        var w = f.y < to.y ? 1 : f.w / to.w;
        f.node.setAttribute("x", 100 * x + "%");
        f.node.setAttribute("width", 100 * w + "%");
      });
    }
    frames.forEach(function (f) {
      f.node.addEventListener("click", function () { zoom(f); });
    });
    var seek = figure.querySelector(".seek");
    var output = figure.querySelector("output");
    seek.addEventListener("input", function () {
      var text = seek.value.toLowerCase(), share = 0;
      frames.forEach(function (f) {
        var found = text !== "" && f.name.includes(text);
        f.node.classList.toggle("found", found);
        // A frame inside of one that was found is counted with it.
        if (found && !frames.some(function (o) {
          return o !== f && o.y < f.y && o.name.includes(text) &&
            o.x <= f.x + slack && o.x + o.w >= f.x + f.w - slack;
        })) share += f.w;
      });
      output.textContent = text === "" ? ""
        : (100 * share).toFixed(1) + "% is in it";
    });
  });

  // Filtering by words, in tables and results alike.
  function filter(text) {
    var wanted = text.toLowerCase().split(/\s+/);
    function matches(name) {
      name = name.toLowerCase();
      return wanted.every(function (word) { return name.includes(word); });
    }
    all("tr[data-id]").forEach(function (row) {
      row.hidden = !matches(row.dataset.id);
    });
    all(".result").forEach(function (element) {
      element.hidden = !matches(element.querySelector(".id").textContent);
    });
  }
  var field = document.querySelector("#filter");
  if (field) field.addEventListener("input", function () {
    filter(field.value);
  });

  // Linear or logarithmic axes, all at once.
  var scale = document.querySelector("#scale");
  if (scale) scale.addEventListener("click", function () {
    root.classList.toggle("is-linear");
    scale.textContent = root.classList.contains("is-linear")
      ? "show logarithmic axes" : "show linear axes";
  });

  // What a link leads to is unfolded, with all that it is in; all for print.
  function reveal() {
    var target = location.hash && document.querySelector(location.hash);
    if (!target) return;
    for (var up = target; up; up = up.parentElement) {
      if (up.tagName === "DETAILS") up.open = true;
    }
    target.scrollIntoView();
  }
  window.addEventListener("hashchange", reveal);
  if (/^#[bnr]\d+$/.test(location.hash)) reveal();
  window.addEventListener("beforeprint", function () {
    all(".result, #how").forEach(function (element) { element.open = true; });
  });

  var UNITS = {
    ns: [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [0, "ns"]],
    bytes: [[1073741824, "GiB"], [1048576, "MiB"], [1024, "KiB"], [0, "B"]]
  };
  function quantity(value, unit) {
    var steps = UNITS[unit];
    if (!steps || value === 0) {
      return Number(value.toPrecision(4)).toLocaleString("en");
    }
    var step = steps.filter(function (s) { return value >= s[0]; })[0];
    return Number((value / (step[0] || 1)).toPrecision(3)) + "\u00a0"
      + step[1];
  }

  // Two benches that are ticked: what the report says of them, if it compared
  // them, else compared by their own figures (Zou and Donner's interval of a
  // ratio, as tare makes it).
  function reported(a, b) {
    return a.other === b.id ? a.id + ", compared with " + b.id + ": " + a.said
      : b.other === a.id ? reported(b, a) : "";
  }
  function figures(row) {
    var found = {};
    (row.dataset.pick || "").split(" ").forEach(function (part) {
      var p = part.split(":");
      if (p[1]) {
        found[p[0]] = { value: Number(p[1]), low: p[2] && Number(p[2]),
          high: p[3] && Number(p[3]) };
      }
    });
    return found;
  }
  function distance(from, to) {
    return from > 0 && to > 0 ? Math.log(to / from) : Infinity;
  }
  function said(a, b) {
    if (!a || !b || !(a.value > 0) || !(b.value > 0)) return "";
    var down = Math.hypot(distance(a.low, a.value), distance(b.value, b.high));
    var up = Math.hypot(distance(a.value, a.high), distance(b.low, b.value));
    var ratio = b.value / a.value;
    var low = ratio * Math.exp(-up), high = ratio * Math.exp(down);
    var text = function (x) { return Number(x.toPrecision(3)); };
    if (low > 1 || high < 1) {
      var fast = ratio > 1;
      return "is " + text(fast ? ratio : 1 / ratio) + " times as "
        + (fast ? "fast" : "slow") + " as" + (isFinite(up + down) ? " \u0001 ("
        + text(fast ? low : 1 / high) + " to " + text(fast ? high : 1 / low)
        + ")" : " \u0001");
    }
    return "may be slower or faster than \u0001 (" + text(low) + " to "
      + text(high) + " times as fast)";
  }
  var UNIT = { net: "ns", bytes: "bytes" };
  function show() {
    var rows = all(".pick:checked").map(function (box) {
      return box.closest("tr");
    });
    var bar = document.querySelector("#picked");
    bar.hidden = rows.length === 0;
    bar.textContent = "";
    if (rows.length === 0) return;
    var line = document.createElement("p");
    bar.appendChild(line);
    if (rows.length === 1) {
      line.textContent = rows[0].dataset.id + ": tick another to compare.";
      return;
    }
    var a = figures(rows[0]), b = figures(rows[1]);
    line.textContent = (reported(rows[0].dataset, rows[1].dataset)
      || rows[0].dataset.id + " " + (said(a.time, b.time)
        .replace("\u0001", rows[1].dataset.id) || "has no time to compare"))
      + ".";
    var more = [];
    Object.keys(a).forEach(function (name) {
      if (name === "time" || !b[name]) return;
      var x = quantity(a[name].value, UNIT[name]);
      var y = quantity(b[name].value, UNIT[name]);
      more.push(name + " " + (x === y ? x + " each" : x + " against " + y));
    });
    var rest = document.createElement("p");
    rest.className = "more";
    rest.textContent = more.join(", ");
    bar.appendChild(rest);
  }
  document.addEventListener("change", function (event) {
    if (!event.target.classList.contains("pick")) return;
    var picked = all(".pick:checked");
    picked.slice(0, Math.max(0, picked.length - 2)).forEach(function (box) {
      if (box !== event.target) box.checked = false;
    });
    show();
  });

  // Names of figures say what they mean.
  var meanings = {};
  all("#how .facts > li").forEach(function (entry) {
    var name = entry.querySelector("b").textContent;
    meanings[name] = entry.textContent.slice(name.length);
  });
  document.addEventListener("pointerover", function (event) {
    var name = event.target.closest && event.target
      .closest(".body .facts b, .chip");
    if (name && meanings[name.textContent]) {
      name.title = meanings[name.textContent];
    }
  });

  // The values of the batch next to the pointer.
  function reader(text) { // "log 10 1000 ns": a place (0 to 1) as a text
    var part = text.split(" "), is_log = part[0] === "log" && part.shift();
    var low = Number(part[0]), high = Number(part[1]);
    return function (share) {
      return quantity(is_log ? low * Math.pow(high / low, share)
        : low + (high - low) * share, part[2]);
    };
  }
  function dots(svg) {
    var list = [];
    all(".dots", svg).forEach(function (path) { // steps, one after the other
      var x = 0, y = 0;
      path.getAttribute("d").replace(/m(-?\d+) ?(-?\d+)/g,
        function (_, dx, dy) {
          x += Number(dx);
          y += Number(dy);
          list.push([x / 1000, y / 250]);
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
    var list = dots(svg), label = document.createElementNS(
      "http://www.w3.org/2000/svg", "text");
    label.setAttribute("class", "read");
    label.setAttribute("x", "100%");
    label.setAttribute("dy", "-10");
    svg.appendChild(label);
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
    if (!svg || !svg.dataset.x || svg.dataset.follows) return;
    svg.dataset.follows = "yes";
    follow(svg);
  });
  root.classList.add("scripted");
})();
]=]
