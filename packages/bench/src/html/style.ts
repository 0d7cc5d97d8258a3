import { heatRules } from './heat-colour.ts';
import { Markup } from './markup.ts';

/** Okabe and Ito's colours, made darker for light paper and lighter for dark; every line also has its own dash and marker. */
const LIGHT = {
  paper: '#ffffff',
  sheet: '#f6f7f9',
  ink: '#1b1f26',
  quiet: '#57606c',
  rule: '#d3d8de',
  link: '#0b57a4',
  poison: '#b53c00',
  gold: '#0a6b4e',
  alarm: '#fdf0e6',
  s: ['#0b62a4', '#c04a00', '#0a7a58', '#9a4478', '#7a6200', '#1b1f26'],
};
const DARK = {
  paper: '#14171c',
  sheet: '#1d2128',
  ink: '#e6e9ee',
  quiet: '#a3acb8',
  rule: '#3a414b',
  link: '#82b8f0',
  poison: '#f58d5a',
  gold: '#5fcfa6',
  alarm: '#33251b',
  s: ['#6cb4ee', '#f58d5a', '#4fcf9f', '#dc9ac4', '#e3c64a', '#e6e9ee'],
};

const variables = ({ s, ...named }: typeof LIGHT): string =>
  [...Object.entries(named).map(([name, colour]) => `--${name}:${colour}`), ...s.map((colour, index) => `--s${index}:${colour}`)].join(';');

/** Solid for the first line, then dashes that differ by more than their length. */
const DASHES = ['none', '7 4', '2 3', '9 3 2 3', '14 4', '2 6'];

const lines = DASHES.map(
  (dashes, line) =>
    `.line.s${line}{--c:var(--s${line})}.line.s${line}>path{stroke-dasharray:${dashes}}.band.s${line}{fill:var(--s${line})}`,
).join('');

/** The page's one style sheet. */
export const style = new Markup(`
:root{color-scheme:light dark;${variables(LIGHT)}}
${heatRules('light')}
@media (prefers-color-scheme:dark){:root{${variables(DARK)}}${heatRules('dark')}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
header,main,footer{max-width:1320px;margin:0 auto;padding:0 20px}
h1{font-size:1.7rem;line-height:1.2;margin:1.4rem 0 .3rem}h2{font-size:1.3rem;margin:2.6rem 0 .6rem;border-top:1px solid var(--rule);padding-top:1.4rem}h3{font-size:1.05rem;margin:1.6rem 0 .4rem}h4{font-size:1rem;margin:1rem 0 .3rem;overflow-wrap:anywhere}
p,figcaption,li,dd{max-width:75ch}
a{color:var(--link)}a:focus-visible,summary:focus-visible,.scroll:focus-visible,pre:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99em}.skip:focus{left:8px;top:8px;background:var(--paper);padding:8px;z-index:2}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;padding:0;list-style:none}
.quiet,small,figcaption,caption{color:var(--quiet)}small{font-size:.78rem;display:block;line-height:1.3;font-weight:400}
.findings{background:var(--sheet);border-left:4px solid var(--link);padding:.4rem 1rem;margin:1rem 0}
.warnings{background:var(--alarm);border-left:4px solid var(--poison);padding:.4rem 1rem}.warnings h2{border:0;margin:.4rem 0;padding:0;font-size:1.1rem}.warned{color:var(--poison)}.warnings ul{padding-left:1.2rem}.warnings li,.findings p{max-width:100ch}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4rem 0 1rem}
caption{text-align:left;max-width:min(75ch,calc(100vw - 26px));padding-bottom:.5rem;font-size:.88rem}
th,td{padding:.35rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
thead th{font-size:.85rem;vertical-align:bottom;border-bottom:2px solid var(--quiet);min-width:5.5rem}.heatmap thead th{overflow-wrap:anywhere}
th[scope=row]{font-weight:600;overflow-wrap:anywhere;min-width:8.5rem;max-width:18rem}
td,th{contain:paint}
.heatmap td{border:2px solid var(--paper);min-width:7.2rem;text-align:center}.heatmap td a{color:inherit;font-weight:600}.heatmap td small{color:inherit}.heatmap td a:focus-visible{outline-color:currentColor}.heatmap strong a{text-decoration-thickness:2px}
.heatmap th:last-child,.heatmap td:last-child{border-left:6px solid var(--paper)}
.heatmap th[scope=row],.metrics th[scope=row]{position:sticky;left:0;background:var(--paper);z-index:1}
.heat.none{background:repeating-linear-gradient(45deg,var(--sheet) 0 6px,var(--paper) 6px 12px);color:var(--quiet)}
.legend{display:flex;flex-wrap:wrap;gap:0 .4rem;align-items:center;font-size:.85rem;color:var(--quiet)}.legend .heat{padding:.1rem .55rem;border:1px solid var(--rule)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,520px),1fr));gap:0 2rem;align-items:start}
.movement figcaption{max-width:17rem}.movement h3{max-width:34rem}.movement{flex:0 1 auto}.panels .panels{gap:1rem}
.panels{display:flex;flex-wrap:wrap;gap:1rem 2rem;align-items:flex-start}
figure{margin:.4rem 0;max-width:100%}figcaption{font-size:.88rem;max-width:60ch}figure h4{margin:.2rem 0}
svg{display:block;font:12px system-ui,sans-serif;color:var(--ink);max-width:none}
svg text{fill:var(--ink)}svg .tick{fill:var(--quiet);font-size:11px}svg .title{fill:var(--ink);font-size:12px}
.grid path{stroke:var(--rule);stroke-width:1}.error{stroke:var(--quiet);stroke-width:1.2;fill:none}.leader{stroke:var(--quiet);stroke-width:.8}
.point{fill:var(--s0)}.ring{fill:none;stroke:var(--s1);stroke-width:2}.label{paint-order:stroke;stroke:var(--paper);stroke-width:3px}
.line>path{fill:none;stroke:var(--c);stroke-width:2}.line g>*{fill:var(--paper);stroke:var(--c);stroke-width:1.6}.line .cross{fill:none;stroke-width:2}.key .line>:not(:first-child){fill:var(--paper);stroke:var(--c);stroke-dasharray:none;stroke-width:1.6}
.band{fill-opacity:.16;stroke:none}${lines}
.mark{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:3 3}
.unmoved{stroke:var(--rule);stroke-width:1.5}.rule{stroke:var(--quiet);stroke-width:1}
g.poisoned circle{fill:var(--poison)}g.gold circle{fill:var(--gold)}g.poisoned text,g.gold text{fill:var(--paper);font-size:10px;text-anchor:middle}
.frame{fill:none;stroke:var(--rule)}circle.clean{fill:none;stroke:var(--s0);stroke-width:1.3}path.poisoned{fill:var(--poison)}
.key{list-style:none;padding:0;margin:.2rem 0;font-size:.85rem}.key li{display:flex;gap:.4rem;align-items:center;overflow-wrap:anywhere}.key svg{flex:none}
details{margin:.4rem 0}summary{cursor:pointer;overflow-wrap:anywhere}
article{border-left:3px solid var(--rule);padding-left:1rem;margin:1rem 0 1.6rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.3rem 0}dt{color:var(--quiet)}dd{margin:0;overflow-wrap:anywhere}
.passage{min-width:17rem;max-width:44rem;overflow-wrap:anywhere}.passage .text{white-space:pre-wrap}.passage details{margin:0}
.tag{font-weight:600;white-space:nowrap}.tag.poisoned,.tag.foreign{color:var(--poison)}.tag.gold{color:var(--gold)}
tr.poisoned td:first-child,tr.foreign td:first-child{border-left:4px solid var(--poison)}
.pool td:not(.passage){white-space:nowrap}.pool thead th,.pair thead th{min-width:0}.pair td:nth-child(3),.pair td:nth-child(4){min-width:9rem}.metrics td{min-width:6.5rem}.metrics td small{white-space:nowrap}.metrics td:nth-child(2){min-width:11rem}:target{outline:3px solid var(--link)}
pre{background:var(--sheet);padding:.7rem 1rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}code{font-size:.9em;overflow-wrap:anywhere}
footer{padding-bottom:3rem}
@media (max-width:600px){header,main,footer{padding:0 12px}.heatmap td{min-width:5.6rem}th,td{padding:.3rem .4rem}th[scope=row]{min-width:6.5rem;max-width:9rem}.passage{min-width:10.5rem}article{padding-left:.5rem}}
@media screen and (min-width:1150px){.pair figure{position:sticky;top:1rem}}
@media print{:root{${variables(LIGHT)}}${heatRules('light')}body{font-size:10pt}header,main,footer{max-width:none;padding:0}nav,.skip{display:none}.heat,.band,svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}.scroll{overflow:visible}figure,tr,article h4{break-inside:avoid}a{color:inherit}h2{break-after:avoid}}
`);
