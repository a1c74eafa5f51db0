-- The part of the style sheet for results and their plots.
local results = [[
.suite > h2 { margin-top: 40px; }
.result { padding: 0; }
.result > summary { display: flex; flex-wrap: wrap; gap: 4px 20px;
  align-items: center; padding: 14px 20px; cursor: pointer;
  list-style: none; }
.result > summary::-webkit-details-marker { display: none; }
.result > summary::before { content: ""; width: 7px; height: 7px;
  border: solid var(--soft); border-width: 0 1.5px 1.5px 0; flex: none;
  transform: rotate(-45deg); transition: transform .12s; }
.result[open] > summary::before { transform: rotate(45deg); }
h3 { font-size: 16px; font-weight: 600; min-width: 0; }
.result h3 { flex: 1 1 200px; }
.head { display: flex; align-items: center; gap: 14px; }
.head b { font-weight: 620; }
.head .share { width: 72px; }
.body { padding: 0 20px 20px; content-visibility: auto;
  contain-intrinsic-size: auto 700px; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; }
.chip { font-size: 12.5px; color: var(--soft); background: var(--faint);
  padding: 1px 9px; border-radius: 20px; }
.warnings { list-style: none; margin-top: 14px; }
.warnings li { border-left: 3px solid var(--warn); padding: 2px 12px;
  margin-top: 6px; overflow-wrap: anywhere; max-width: 75ch; }
.warnings .bad { border-color: var(--bad); }
#glossary { margin-top: 40px; }
#glossary .facts {
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); }
#glossary dt { color: var(--ink); font-weight: 600; }
.error { margin: 14px 0 0; padding: 10px 14px; white-space: pre-wrap;
  overflow-wrap: anywhere; color: var(--bad); background: var(--faint);
  border-radius: 6px; }
.facts { display: grid; gap: 10px 24px; margin-top: 20px; font-size: 14px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 200px), 1fr)); }
.card > .facts:first-child { margin-top: 0; }
dt { color: var(--soft); font-size: 12.5px; overflow-wrap: anywhere; }
dd { overflow-wrap: anywhere; }
.more { margin-top: 18px; font-size: 14px; }
.more > summary { cursor: pointer; color: var(--soft); }
.more table { max-width: 620px; }
.formula { margin: 12px 0 2px; overflow-wrap: anywhere; }
]]

local plots = [[
.plots { display: grid; gap: 26px 36px; margin-top: 18px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); }
figure { min-width: 0; }
figcaption { font-weight: 600; font-size: 14px; }
.note { font-size: 12.5px; color: var(--soft); margin-top: 4px; }
.keys { display: flex; flex-wrap: wrap; gap: 0 14px; }
.keys > span { white-space: nowrap; }
svg { overflow: visible; display: block; }
.plot { width: calc(100% - var(--l) - 14px);
  margin: 30px 14px 42px var(--l); }
.canvas { width: 100%; height: 100%; overflow: hidden; }
.canvas path { vector-effect: non-scaling-stroke; fill: none; }
.plot text, .ratio text { font-size: 11.5px; fill: var(--soft); }
.tx text { text-anchor: middle; }
.ty text, .xt, .plot .read { text-anchor: end; }
.plot .read { fill: var(--ink); }
.grid { stroke: var(--hair); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.s1, .m1 { --c: var(--c1); } .m2 { --c: var(--c2); } .m3 { --c: var(--c3); }
.m4 { --c: var(--c4); } .m5 { --c: var(--c5); } .m6 { --c: var(--c6); }
.m7 { --c: var(--c7); } .m8 { --c: var(--c8); }
.gc, .minor, .major { --c: var(--gc); } .net { --c: var(--net); }
.canvas .dots { stroke: var(--c); stroke-width: 5; stroke-linecap: round;
  stroke-opacity: .62; }
.canvas .rug { stroke-width: 3.6; stroke-opacity: .5; }
.canvas .major { stroke-linecap: square; stroke-width: 5.5;
  stroke-opacity: 1; }
.canvas .m2.dots, .canvas .m4.dots, .canvas .m6.dots {
  stroke-linecap: square; stroke-width: 4.4; }
.canvas .dots.big { stroke-width: 7; stroke-opacity: 1; }
.canvas .line { stroke: var(--c); stroke-width: 1.8;
  stroke-linejoin: round; }
.canvas .thin { stroke-width: 1.2; }
.canvas .area { fill: var(--c); fill-opacity: .2; stroke: var(--c);
  stroke-width: 1.4; }
.canvas .area.gc { fill-opacity: .75; stroke: none; }
.canvas .band { fill: var(--mark); fill-opacity: .14; stroke: none; }
.interval { fill: var(--mark); fill-opacity: .12; }
.canvas .estimate { stroke: var(--mark); stroke-width: 1.8; }
.canvas .median { stroke: var(--mark); stroke-width: 1.2;
  stroke-dasharray: 2 4; }
.canvas .dashed { stroke: var(--net); stroke-width: 1.8;
  stroke-dasharray: 7 4; }
.canvas .running { stroke: var(--mark); stroke-width: 1.8; }
.key { display: inline-block; margin-right: 6px; vertical-align: middle; }
.key.dot { width: 8px; height: 8px; border-radius: 50%;
  background: var(--c); }
.key.major, .key.m2, .key.m4, .key.m6 { border-radius: 1px; }
.key.block { width: 10px; height: 10px; border-radius: 2px;
  background: var(--c); }
.key.bar { width: 16px; border-top: 2px solid var(--mark); }
.key.bar.median { border-top-style: dotted; }
.key.bar.dashed { border-top: 2px dashed var(--net); }
.canvas .minor { --c: var(--c5); }
.key.minor { --c: var(--c5); }
.share { display: inline-block; vertical-align: middle; height: 8px;
  background: var(--net); border-radius: 2px; overflow: hidden; }
.share i { display: block; height: 100%; margin-left: auto;
  background: var(--gc); border-left: 1px solid var(--card); }
.parts .share { display: block; height: 26px; margin: 14px 0 10px; }
.sweep h3 { margin-bottom: 4px; }
.laws { list-style: none; margin: 0 0 14px; font-size: 14px; }
.laws li { margin-top: 3px; }
.ratio { display: grid; gap: 0 28px;
  grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.ratio p { overflow-wrap: anywhere; font-size: 14px; padding: 6px 0; }
.ratio div { position: relative; min-height: 36px; }
.ratio svg { position: absolute; width: 100%; height: 100%; }
.ratio .one { stroke: var(--soft); }
.ratio circle { fill: var(--c); } .reach { stroke: var(--c);
  stroke-width: 2.5; stroke-linecap: round; }
.faster { --c: var(--good); } .slower { --c: var(--bad); }
.same { --c: var(--soft); } .unclear { --c: var(--warn); }
.ratio.ticks div { min-height: 20px; }
]]

return results .. plots
