-- The page's style sheet: colours by light and dark, the page, its tables, its
-- plots, phones and paper.
return [[
:root {
  color-scheme: light dark;
  --paper: #f7f6f3; --card: #ffffff; --ink: #1d1c1a; --soft: #5c5953;
  --hair: #e3e0d9; --faint: #f0eee9; --grid: #94918a;
  --net: #24618e; --gc: #a94a14; --good: #1f7245; --bad: #b3261e;
  --warn: #8a5a00; --mark: #1d1c1a; --shade: #e3f0e8; --dusk: #0004;
  --c1: #24618e; --c2: #a94a14; --c3: #b0356f; --c4: #7a4fa3;
  --c5: #8a6a00; --c6: #3d4fb3; --c7: #0d7377; --c8: #6b6760;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #121315; --card: #191b1e; --ink: #e8e6e1; --soft: #a5a29b;
    --hair: #2e3135; --faint: #22252a; --grid: #6f7278;
    --net: #6fb1e4; --gc: #f0935a; --good: #6cc68d; --bad: #ff8f85;
    --warn: #e0b04a; --mark: #f4f2ee; --shade: #1f3a2b; --dusk: #fff5;
    --c1: #6fb1e4; --c2: #f0935a; --c3: #ef84b4; --c4: #c09be6;
    --c5: #d9b84a; --c6: #98a5ff; --c7: #56c4c4; --c8: #a5a29b;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 90px; }
body {
  margin: 0 auto; padding: 0 clamp(12px, 3vw, 36px) 96px; max-width: 1240px;
  background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, Inter,
    "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
h1, h2, h3, p, figure, ul { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: inherit; text-decoration-color: var(--grid);
  text-underline-offset: 3px; }
a:hover { text-decoration-color: currentColor; }
:focus-visible { outline: 2px solid var(--net); outline-offset: 2px; }
.id, pre {
  font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas,
    "Liberation Mono", "DejaVu Sans Mono", monospace; font-size: .93em; }
.id { unicode-bidi: isolate; overflow-wrap: anywhere; }
.option, .whole { white-space: nowrap; }
.dim, .more { color: var(--soft); font-weight: 400; }
.bad { color: var(--bad); } .warn { color: var(--warn); }
.good { color: var(--good); } td.plain { color: inherit; }
[hidden] { display: none !important; }

nav { position: sticky; top: 0; z-index: 5; display: flex; gap: 18px;
  align-items: center; padding: 9px 0; background: var(--paper);
  border-bottom: 1px solid var(--hair); font-size: 14px; }
nav .brand { font-weight: 650; color: var(--gc); text-decoration: none; }
nav .links { flex: 1 1 0; text-wrap: balance; min-width: 0;
  max-height: 4.7em; overflow-y: auto; scrollbar-width: thin; }
nav .links a, nav .how { color: var(--soft); text-decoration: none; }
nav .links a:hover, nav .how:hover { color: var(--ink); }
nav .how { flex: none; }
nav .links a { display: inline-block; margin-right: 16px;
  overflow-wrap: anywhere; }
.controls { display: none; gap: 8px; flex: none; }
.scripted .controls { display: flex; }
.controls > * { font: inherit; font-size: 13px; color: inherit;
  background: var(--card); border: 1px solid var(--grid);
  border-radius: 7px; padding: 3px 10px; min-width: 0; }
.controls input { width: 130px; }
::placeholder { color: var(--soft); opacity: 1; }
.controls button { cursor: pointer; }

header { padding: 28px 0 6px; }
h1 { font-size: clamp(22px, 3.4vw, 30px); line-height: 1.2; font-weight: 640;
  letter-spacing: -.015em; overflow-wrap: anywhere; }
.meta { margin-top: 6px; color: var(--soft); font-size: 14px; display: flex;
  flex-wrap: wrap; gap: 2px 20px; }
h2 { font-size: 18px; font-weight: 620; margin: 40px 0 10px; }
#summary { margin-top: 14px; background: var(--card); padding: 16px 20px;
  border: 1px solid var(--hair); border-radius: 10px; }
.closing { font-size: 17px; font-weight: 620; color: var(--ink); }
.winners, .failures, .laws, .remarks { margin-top: 10px; }
.winners li, .remarks li, .failures li, .laws li { margin-top: 4px;
  overflow-wrap: anywhere; }
.failures li { border-left: 3px solid var(--bad); padding-left: 12px; }
.remarks li { border-left: 3px solid var(--hair); padding-left: 12px;
  max-width: 90ch; }
.laws { font-size: 14px; color: var(--soft); margin-bottom: 14px;
  columns: 3 340px; column-gap: 36px; }
.laws li { break-inside: avoid; margin: 0 0 4px; }
.said { margin-top: 10px; max-width: 90ch; }
.note { font-size: 12.5px; color: var(--soft); margin-top: 4px; }

.scroll { overflow-x: auto; max-width: 100%;
  /* a shadow at the side where a table goes on */
  background:
    linear-gradient(to right, var(--card) 40%, transparent) 0 0 / 48px 100%
      no-repeat local,
    linear-gradient(to left, var(--card) 40%, transparent) 100% 0 / 48px 100%
      no-repeat local,
    linear-gradient(to right, var(--dusk), transparent) 0 0 / 18px 100%
      no-repeat,
    linear-gradient(to left, var(--dusk), transparent) 100% 0 / 18px 100%
      no-repeat, var(--card);
  border: 1px solid var(--hair); border-radius: 10px; }
table { border-collapse: separate; border-spacing: 0; width: 100%;
  font-size: 14px; line-height: 21px; }
th, td { padding: 6px 10px; text-align: left; font-weight: 400;
  border-bottom: 1px solid var(--hair); vertical-align: middle; }
th.n, td.n { text-align: right; }
td { white-space: nowrap; }
tbody tr:last-child > * { border-bottom: 0; }
tfoot > tr > * { border-top: 1px solid var(--hair); border-bottom: 0;
  color: var(--soft); }
thead th { color: var(--soft); font-size: 13px; white-space: nowrap;
  vertical-align: bottom; }
tbody tr:hover > * { background: var(--faint); }
th .id, td .id { line-height: 1.3; }
tbody th { position: sticky; left: 0; z-index: 1; background: var(--card);
  max-width: 380px; }
a.warn { text-decoration: none; }
a.warn:hover { text-decoration: underline; }
th .warn, td .warn { font-weight: 400; }
:target > th, .remarks :target { background: var(--shade); }
.benches .more { display: inline-block; min-width: 4.4em; }
.sweep td, .sweep th { padding: 5px 14px; }
@media (max-width: 480px) { th, td { padding: 6px 6px; } }
.scroll:has(> .sweep) { width: fit-content; min-width: min(100%, 480px); }
.sweep tfoot th { white-space: nowrap; }
section:not(:has(h2)) { margin-top: 14px; }
.sweep tbody th { position: static; }
.best { background: var(--shade); }
.pick { display: none; vertical-align: middle; margin: 0 8px 0 0;
  appearance: none; width: 14px; height: 14px; flex: none; cursor: pointer;
  border: 1.5px solid var(--soft); border-radius: 3px;
  background: var(--card); }
.pick:checked { border-color: var(--net); background: var(--net); }
.pick:checked::after { content: ""; display: block; width: 4px; height: 8px;
  margin: 0 auto; border: solid var(--card); border-width: 0 2px 2px 0;
  transform: rotate(45deg); }
.scripted .pick { display: inline-block; }
th button { all: unset; cursor: pointer; white-space: nowrap; }
th button:hover { color: var(--ink); }
th button:focus-visible { outline: 2px solid var(--net); }
th[aria-sort="ascending"] button::after { content: " \2191"; }
th[aria-sort="descending"] button::after { content: " \2193"; }
.spot { min-width: 110px; width: 16%; }
.spot .what { display: block; }
td.spot { padding-left: 0; }
.spot i { position: relative; height: 1px; background: var(--grid); }
.spot i::before { content: ""; position: absolute; left: var(--a); top: -2px;
  width: var(--w); height: 5px; background: var(--c1); opacity: .7; }
.spot i::after { content: ""; position: absolute; left: var(--x); top: -4px;
  width: 9px; height: 9px; margin-left: -4px; border-radius: 50%;
  background: var(--c1); }
.linear, html.is-linear .log { display: none; }
.spot i.log { display: block; }
html.is-linear .linear { display: block; }
.plot.log, html.is-linear .plot.linear { display: block; }
.plot.linear { display: none; }

.result { background: var(--card); border: 1px solid var(--hair);
  border-radius: 10px; margin-top: 8px; }
.result > summary { display: flex; flex-wrap: wrap; gap: 2px 18px;
  align-items: baseline; padding: 9px 16px; cursor: pointer;
  list-style: none; }
.result > summary::-webkit-details-marker { display: none; }
.result > summary::before { content: "\25b8"; color: var(--soft);
  font-size: 11px; }
.result[open] > summary::before { content: "\25be"; }
h3 { font-size: 15px; font-weight: 600; min-width: 0; flex: 1 1 200px; }
.head b { font-weight: 620; }
.body { padding: 0 18px 18px; content-visibility: auto;
  contain-intrinsic-size: auto 700px; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; }
.chip { font-size: 12.5px; color: var(--soft); background: var(--faint);
  padding: 1px 9px; border-radius: 20px; }
.chip.bad { color: var(--bad); }
.command { margin: 4px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.error { margin: 12px 0 0; padding: 10px 14px; white-space: pre-wrap;
  overflow-wrap: anywhere; background: var(--faint); border-radius: 6px; }
.facts { display: grid; gap: 9px 24px; margin-top: 18px; font-size: 14px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 170px), 1fr)); }
#how .facts, #env .facts {
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr)); }
.facts > li { overflow-wrap: anywhere; }
.facts b { display: block; overflow-wrap: break-word; color: var(--soft);
  font-size: 12.5px; font-weight: 400; }
#how .facts b { color: var(--ink); font-weight: 600; }
.made { margin-top: 14px; }
.made + .facts { margin-top: 8px; }
.fits { margin-top: 14px; font-size: 12.5px; color: var(--soft);
  overflow-wrap: anywhere; }
details.more { margin-top: 14px; font-size: 14px; color: inherit; }
details.more > summary { cursor: pointer; color: var(--soft); }
.single { background: var(--card); border: 1px solid var(--hair);
  border-radius: 10px; padding: 14px 20px; font-size: 16px; }
.single p { display: flex; flex-wrap: wrap; gap: 0 28px; }
.single p:first-child { font-size: 20px; font-weight: 600; }
.single p .warn { font-weight: 400; }
#picked { position: fixed; left: 0; right: 0; bottom: 0; z-index: 6;
  background: var(--card); border-top: 1px solid var(--hair);
  padding: 10px clamp(12px, 3vw, 36px); box-shadow: 0 -4px 18px #0002; }
#picked p { max-width: 1168px; margin: 0 auto; overflow-wrap: anywhere; }
#picked .more { font-size: 14px; }

.plots { display: grid; gap: 22px 36px; margin-top: 16px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); }
figure { min-width: 0; }
figcaption { font-weight: 600; font-size: 14px; }
svg { overflow: visible; display: block; }
.plot { --l: 12px; --r: 14px; height: 170px;
  width: calc(100% - var(--l) - var(--r));
  border-bottom: 1px solid var(--soft);
  margin: 36px var(--r) 42px var(--l); }
.tx text { transform: translateY(calc(100% + 17px)); }
.xt { transform: translate(100%, calc(100% + 34px)); }
.pt { transform: translateY(-3px); }
.yt { transform: translate(calc(4px - var(--l)), -10px); }
.of { font-weight: 600; }
.plot .of { fill: var(--ink); }
/* room for the names of rules, in up to two rows, below the title of y */
.named { margin-top: 46px; }
.named .yt { transform: translate(calc(4px - var(--l)), -32px); }
.ty text { transform: translate(-8px, 4px); }
.plot > svg { width: 100%; height: 100%; overflow: hidden; }
.plot > svg path { vector-effect: non-scaling-stroke; fill: none; }
.plot text { font-size: 11.5px; fill: var(--soft); }
.tx text, .pt { text-anchor: middle; }
.ty text, .xt, .plot .read { text-anchor: end; }
.plot .read { fill: var(--ink); }
.plot .end { fill: var(--c); font-size: 12px; font-weight: 600; }
.grid { stroke: var(--grid); stroke-width: 1; }
.s1, .m1 { --c: var(--c1); } .m2 { --c: var(--c2); } .m3 { --c: var(--c3); }
.m4 { --c: var(--c4); } .m5 { --c: var(--c5); } .m6 { --c: var(--c6); }
.m7 { --c: var(--c7); } .m8 { --c: var(--c8); }
.gc, .major { --c: var(--gc); } .net { --c: var(--net); }
.minor { --c: var(--c5); } .out { --c: var(--soft); }
.plot > svg .dots { stroke: var(--c); stroke-width: 5;
  stroke-linecap: round; stroke-opacity: .75; }
.plot > svg .dots.out { stroke-width: 5; stroke-opacity: 1; }
.plot > svg .rug { stroke-width: 3.6; stroke-opacity: .75; }
.plot > svg .major { stroke-linecap: square; stroke-width: 5.5;
  stroke-opacity: 1; }
.plot > svg .m2.dots, .plot > svg .m5.dots, .plot > svg .m8.dots {
  stroke-linecap: square; stroke-width: 4.4; }
.plot > svg .dots.beyond { stroke-linecap: butt; stroke-width: 1.6; }
/* Of points on one place all are seen: each shape leaves corners or sides of
   the others, and the same shape is smaller when it comes again. */
.plot > svg .dots.big { stroke-width: 8.5; stroke-opacity: 1; }
.plot > svg .m2.dots.big { stroke-width: 7.4; }
.plot > svg .m4.dots.big { stroke-width: 5.4; }
.plot > svg .m5.dots.big { stroke-width: 4.8; }
.plot > svg .m7.dots.big { stroke-width: 2.6; }
.plot > svg .m8.dots.big { stroke-width: 2.4; }
/* their diamonds are drawn */
.plot > svg .m3.big, .plot > svg .m6.big { stroke: none; }
.plot use { fill: var(--c); stroke: var(--c); }
.plot use.m6 { transform-box: fill-box; transform-origin: center;
  transform: scale(.6); }
.plot use.hollow { fill: var(--paper); stroke-width: 1.5; }
.plot > svg .dots.hollow { stroke: var(--paper); stroke-width: 5;
  stroke-opacity: 1; }
.plot > svg .m4.hollow, .plot > svg .m5.hollow { stroke-width: 2.4; }
.plot > svg .m7.hollow, .plot > svg .m8.hollow { stroke-width: 1; }
.plot > svg .line { stroke: var(--c); stroke-width: 1.8;
  stroke-linejoin: round; }
.plot > svg .thin { stroke-width: 1.2; }
.plot > svg .area { fill: var(--c); fill-opacity: .2; stroke: var(--c);
  stroke-width: 1.4; }
.plot > svg .area.gc { fill-opacity: .75; stroke: none; }
.plot > svg .interval { fill: var(--mark); fill-opacity: .12;
  stroke: var(--mark); stroke-opacity: .6; }
.plot > svg .estimate, .plot > svg .running { stroke: var(--mark);
  stroke-width: 1.8; }
.plot > svg .median { stroke: var(--mark); stroke-width: 1.2;
  stroke-dasharray: 2 4; }
.plot > svg .dashed { stroke: var(--net); stroke-width: 1.8;
  stroke-dasharray: 7 4; }
.plot .ring { fill: var(--mark); font-weight: 600; paint-order: stroke;
  stroke: var(--paper); stroke-width: 3; }
.crossing { fill: none; stroke: var(--mark); stroke-width: 1.5; }
.key { white-space: nowrap; margin-right: 10px; }
.key::before { content: ""; display: inline-block; margin-right: 6px;
  vertical-align: middle; width: 8px; height: 8px; background: var(--c); }
.key.dot::before { border-radius: 50%; }
.key.major::before, .key.m2::before { border-radius: 1px; }
.key.out::before { width: 6px; height: 6px; }
.key.ring { white-space: normal; }
.key.ring::before { background: none; border: 1.5px solid var(--mark);
  border-radius: 50%; }
.key.hollow::before { background: none; border: 1.5px solid var(--soft); }
.key.block::before { width: 10px; height: 10px; border-radius: 2px; }
.key.bar::before { width: 16px; height: 0; background: none;
  border-top: 2px solid var(--mark); }
.key.dashed { white-space: normal; }
.key.dashed::before { border-top: 2px dashed var(--net); }
.share { height: 24px; margin: 12px 0 8px; background: var(--net);
  border-radius: 3px; overflow: hidden; }
.share i { display: block; height: 100%; margin-left: auto;
  background: var(--gc); border-left: 1px solid var(--card); }

@media (max-width: 620px) {
  body { font-size: 14.5px; }
  nav { gap: 4px 12px; flex-wrap: wrap; }
  nav .links { order: 3; flex: 1 0 100%; }
  .controls { margin-left: auto; }
  html { scroll-padding-top: 130px; }
  .laws { columns: auto; }
  .controls input { width: 64px; }
  .controls > * { font-size: 12.5px; padding: 3px 7px; }
  header { padding-top: 18px; }
  /* where they crowd on a narrow page, every other one is hidden */
  .tx:has(:nth-child(5)) text:nth-child(2n) { display: none; }
  #summary, .single { padding: 12px 14px; }
  .listed, .listed tbody, .listed tfoot, .listed tr, .listed thead {
    display: block; }
  .listed tr { padding: 8px 14px; border-bottom: 1px solid var(--hair); }
  .listed tbody tr:last-child { border-bottom: 0; }
  .listed th, .listed td, .listed tfoot > tr > * { padding: 1px 0; border: 0;
    max-width: none; position: static; white-space: normal; }
  .listed tbody th { font-weight: 600; }
  .listed .more { min-width: 0; }
  .listed tr:hover > * { background: none; }
  .listed tr > .best { background: var(--shade); }
  /* of each bench its name and time, a bar below, then what else there is;
     above all of them what the bar and the comparison are */
  .benches thead th, .changes thead th { display: none; }
  .listed thead th.spot, .listed thead th.vs { display: inline;
    text-align: left; }
  .listed thead th.spot:has(~ .vs)::after { content: "; "; }
  .listed thead th button { white-space: normal; }
  .benches .spot .what { display: inline; }
  .listed thead tr { padding: 6px 14px; }
  .benches tbody tr, .changes tbody tr { display: flex; flex-wrap: wrap;
    gap: 0 7px; align-items: baseline; }
  .benches tbody th, .changes tbody th { flex: 1 1 0; min-width: 45%; }
  .benches td.spot { order: 1; flex: 0 0 100%; height: 15px; padding: 7px 0; }
  .benches .spot ~ td + td, .changes td + td { order: 2; }
  .benches td.n, .changes td.n, .listed tbody .vs {
    font-size: 12px; }
  .listed td[data-t=time] { font-size: 14px; }
  .benches td[data-t]:not(.vs, [data-t=time], [data-t=bytes])::before,
  .changes td[data-t]:not(.vs, [data-t=time])::before {
    content: attr(data-t) " "; color: var(--soft); }
  .benches .vs, .changes .vs { flex: 1 0 auto; max-width: 100%; }
  .benches .none { flex: 0 0 auto; }
  .sweep.listed thead { display: none; }
  .sweep.listed th, .sweep.listed td, .sweep.listed tfoot > tr > * {
    display: flex; justify-content: flex-end; gap: 6px; text-align: right; }
  .sweep.listed tr > th { justify-content: flex-start; text-align: left; }
  .sweep.listed td[data-t]::before { content: attr(data-t);
    color: var(--soft); text-align: left; margin-right: auto;
    padding-right: 10px; }
  .listed th[data-t]::before { content: attr(data-t) " ="; }
  .sweep.listed td:empty { display: none; }
  .sweep:not(.listed) td, .sweep:not(.listed) th { padding: 5px 8px; }
  .body { padding: 0 14px 14px; }
  .body .facts { display: block; }
  .body .facts > li { display: flex; gap: 14px; padding: 2px 0;
    justify-content: space-between; text-align: right; }
  .body .facts b { flex: none; }
  .plot .end { font-size: 11px; }
}
.flame { margin: 18px 0 6px; background: var(--card); padding: 12px 14px;
  border: 1px solid var(--hair); border-radius: 10px; }
.flame figcaption { display: flex; flex-wrap: wrap; gap: 4px 14px;
  align-items: baseline; font-weight: 600; margin-bottom: 8px; }
.flame .seek { display: none; font: inherit; font-size: 13px; font-weight: 400;
  color: inherit; background: var(--paper); border: 1px solid var(--hair);
  border-radius: 7px; padding: 2px 9px; min-width: 0; width: 170px;
  margin-left: auto; }
.scripted .flame .seek { display: inline-block; }
.flame output { font-weight: 400; color: var(--soft); font-size: 13px; }
.flame .stack { max-height: 70vh; overflow-y: auto; }
.frame { cursor: pointer; overflow: hidden; }
.frame rect { stroke: var(--card); stroke-width: 1; }
.frame text { font-size: 11.5px; fill: #1d1c1a; pointer-events: none; }
.frame.h0 rect { fill: #f3c98b; } .frame.h1 rect { fill: #efb37a; }
.frame.h2 rect { fill: #f1d9a0; } .frame.h3 rect { fill: #e8a58a; }
.frame.h4 rect { fill: #eec0a4; } .frame.h5 rect { fill: #e9d1b0; }
.frame.same rect { fill: #d9d6cf; }
.frame.more1 rect { fill: #f6c6bf; } .frame.more2 rect { fill: #ee9a8f; }
.frame.more3 rect { fill: #e0695c; }
.frame.less1 rect { fill: #c3d8ee; } .frame.less2 rect { fill: #96bbe2; }
.frame.less3 rect { fill: #6498d2; }
.frame.found rect { fill: #b06fd0; } .frame.found text { fill: #fff; }
.frame:hover rect { filter: brightness(.92); }
.listing { border-collapse: collapse; font-size: 13px; }
.listing td, .listing th { padding: 0 10px; white-space: nowrap; }
.listing .at { color: var(--soft); }
.listing .code { white-space: pre; font-family: ui-monospace, Menlo, Consolas,
  "Liberation Mono", "DejaVu Sans Mono", monospace; text-align: left; }
.listing .bar { background: linear-gradient(to left, var(--shade) var(--w),
  transparent var(--w)); }
.listing .gap td { color: var(--soft); }
@media print {
  :root { --paper: #fff; }
  body { max-width: none; font-size: 10pt; }
  nav, #picked, .pick { display: none !important; }
  .result, figure, tr { break-inside: avoid; }
  .result[open] { break-inside: auto; }
}
]]
