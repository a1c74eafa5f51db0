-- The page's style sheet: colours by light and dark, the page, its tables.
local results = require "tare.report.html.style_results"
local colours = [[
:root {
  color-scheme: light dark;
  --paper: #f7f6f3; --card: #ffffff; --ink: #1d1c1a; --soft: #5c5953;
  --hair: #e3e0d9; --faint: #f0eee9;
  --net: #24618e; --gc: #a94a14; --good: #1f7245; --bad: #b3261e;
  --warn: #8a5a00; --mark: #1d1c1a;
  --shade: #e3f0e8;
  --c1: #24618e; --c2: #a94a14; --c3: #2b7a4b; --c4: #7a4fa3;
  --c5: #8a6a00; --c6: #b0356f; --c7: #0d7377; --c8: #6b6760;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #121315; --card: #191b1e; --ink: #e8e6e1; --soft: #a5a29b;
    --hair: #2e3135; --faint: #22252a;
    --net: #6fb1e4; --gc: #f0935a; --good: #6cc68d; --bad: #ff8f85;
    --warn: #e0b04a; --mark: #f4f2ee;
    --shade: #1f3a2b;
    --c1: #6fb1e4; --c2: #f0935a; --c3: #6cc68d; --c4: #c09be6;
    --c5: #d9b84a; --c6: #ef84b4; --c7: #56c4c4; --c8: #a5a29b;
  }
}
]]

local page = [[
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 12px; }
body {
  margin: 0 auto; padding: 0 clamp(14px, 3vw, 36px) 64px; max-width: 1240px;
  background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, Inter,
    "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
h1, h2, h3, p, figure, dl, dd, ul { margin: 0; padding: 0; }
a { color: inherit; text-decoration-color: var(--hair);
  text-underline-offset: 3px; }
a:hover { text-decoration-color: currentColor; }
:focus-visible { outline: 2px solid var(--net); outline-offset: 2px; }
.id, pre, .formula {
  font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas,
    "Liberation Mono", "DejaVu Sans Mono", monospace; font-size: .93em; }
.option { white-space: nowrap; }
.id { unicode-bidi: isolate; overflow-wrap: anywhere; }
.dim, .unit { color: var(--soft); font-weight: 400; }
.bad { color: var(--bad); } .warn { color: var(--warn); }
.n { text-align: right; white-space: nowrap; }

header { padding: 40px 0 8px; }
.brand { font-weight: 650; letter-spacing: .02em; color: var(--gc); }
h1 { font-size: clamp(24px, 4vw, 34px); line-height: 1.2; font-weight: 640;
  letter-spacing: -.015em; overflow-wrap: anywhere; }
.meta { margin-top: 8px; color: var(--soft); display: flex;
  flex-wrap: wrap; gap: 2px 20px; }
h2 { font-size: 19px; font-weight: 620; margin: 44px 0 12px; }
.card { background: var(--card); border: 1px solid var(--hair);
  border-radius: 10px; padding: 18px 20px; }
.card + .card { margin-top: 12px; }
[hidden] { display: none !important; }

.controls { display: none; gap: 8px; margin-bottom: 10px; }
.scripted .controls { display: flex; flex-wrap: wrap; }
.controls > * { font: inherit; font-size: 14px; color: inherit;
  background: var(--card); border: 1px solid var(--hair);
  border-radius: 7px; padding: 5px 11px; }
.controls input { flex: 0 1 280px; min-width: 0; }
.controls button { cursor: pointer; }
.controls button:hover { border-color: var(--soft); }
]]

local tables = [[
.scroll { overflow-x: auto; max-width: 100%; }
#overview .scroll { background: var(--card); border: 1px solid var(--hair);
  border-radius: 10px; }
table { border-collapse: separate; border-spacing: 0; width: 100%;
  font-size: 14px; line-height: 21px; }
th .id, td .id { line-height: 1; }
th, td { padding: 6px 7px; text-align: left; font-weight: 400;
  border-bottom: 1px solid var(--hair); vertical-align: middle; }
th.n, td.n { text-align: right; }
td.n { padding-right: calc(7px + var(--p, 0) * 1ch); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--soft); font-size: 13px; white-space: nowrap;
  vertical-align: bottom; }
.overview tbody tr:hover > * { background: var(--faint); }
.overview th:first-child { padding-left: 16px; }
.overview tbody th { position: sticky; left: 0; z-index: 1;
  background: var(--card); max-width: min(330px, 44vw); }
.overview .id { overflow-wrap: break-word; }
.overview .none { color: var(--hair); }
.overview td.bad, .overview td.warn { white-space: nowrap; font-size: 13px; }
.overview .share { float: left; width: 44px; margin: .45em 8px 0 0; }
th button { all: unset; cursor: pointer; white-space: nowrap; }
th button:hover { color: var(--ink); }
th button:focus-visible { outline: 2px solid var(--net); }
th[aria-sort] { color: var(--ink); }
th[aria-sort="ascending"] button::after { content: " \2191"; }
th[aria-sort="descending"] button::after { content: " \2193"; }
.spot { min-width: 60px; width: 10%; padding-left: 4px; }
.spot i { display: block; position: relative; height: 1px;
  background: var(--hair); }
.spot i::after { content: ""; position: absolute; left: var(--x); top: -4px;
  width: 8px; height: 8px; margin-left: -4px; border-radius: 50%;
  background: var(--c1); }
.types th, .fit th { padding-left: 0; }
.cells { width: auto; min-width: min(100%, 480px); }
.meter { width: 45%; padding-right: 0; }
.meter i { display: block; height: 8px; border-radius: 2px;
  background: var(--gc); min-width: 1px; }
.best { background: var(--shade); }
]]

local media = [[
@media (max-width: 620px) {
  body { font-size: 14.5px; }
  header { padding-top: 24px; }
  .card, .result > summary { padding-left: 14px; padding-right: 14px; }
  .result { padding: 0; } .body { padding: 0 14px 16px; }
  .ratio { grid-template-columns: minmax(0, 1fr); }
  .odd { display: none; }
  th, td { padding: 6px 8px; }
  .card .facts { gap: 5px; }
  .card .facts > div { display: flex; justify-content: space-between;
    gap: 16px; }
  .card .facts dd { text-align: right; }
  .overview .spot { display: none; }
  .overview tbody th { max-width: 52vw; }
}
@media print {
  :root { --paper: #fff; }
  body { max-width: none; font-size: 10pt; }
  .controls { display: none !important; }
  .card, figure, tr { break-inside: avoid; }
  .result { break-inside: auto; } .body { content-visibility: visible; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
]]

return colours .. page .. tables .. results .. media
