// SPDX-License-Identifier: BSD-3-Clause
// The style sheet of quality reports: light and dark, wide and narrow, screen and paper.
#pragma once

#include <string_view>

namespace reber {

inline constexpr std::string_view kPageStyle = R"(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1b2029;--soft:#4c5563;--line:#dde1e7;--accent:#0b5cad;
--pass:#17653a;--pass-bg:#e3f4e9;--uncertain:#7a4b00;--uncertain-bg:#fdf0d3;--fail:#a3161f;--fail-bg:#fde5e6;
--none:#4c5563;--none-bg:#eceff3}
@media(prefers-color-scheme:dark){:root{--page:#12161c;--card:#1a2029;--ink:#e6e9ee;--soft:#a9b3c1;--line:#303946;
--accent:#79b8ff;--pass:#7bd89f;--pass-bg:#16301f;--uncertain:#f0c066;--uncertain-bg:#36290c;--fail:#ff9aa0;
--fail-bg:#421a1e;--none:#a9b3c1;--none-bg:#262e39}.plot img{filter:invert(.9) hue-rotate(180deg)}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
"DejaVu Sans",sans-serif}
main,header,footer,nav{max-width:1240px;margin:0 auto;padding:0 24px}
header{padding-top:40px}
h1{font-size:2rem;line-height:1.2;margin:0;overflow-wrap:anywhere}
h2{font-size:1.3rem;margin:0 0 12px}
h3{font-size:1.05rem;margin:24px 0 8px;overflow-wrap:anywhere}
a{color:var(--accent)}
p{margin:0 0 12px;max-width:75ch;overflow-wrap:anywhere}
.kicker{color:var(--soft);margin:0 0 4px;max-width:none}
.verdict{border-left:6px solid var(--none);background:var(--card);padding:14px 18px;margin:20px 0 0;border-radius:6px;
font-size:1.06rem;max-width:none}
.verdict.pass{border-color:var(--pass)}.verdict.uncertain{border-color:var(--uncertain)}.verdict.fail{border-color:var(--fail)}
.tally{display:flex;flex-wrap:wrap;gap:10px;margin:14px 0 0;padding:0;list-style:none}
nav ul{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:20px 0 0;padding:10px 0;border-top:1px solid
var(--line);border-bottom:1px solid var(--line)}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:22px 24px;margin:22px 0}
table{border-collapse:collapse;width:100%;font-size:.94rem}
table.metrics{margin-top:20px}
@media(min-width:641px){table.metrics{table-layout:fixed}table.metrics th:first-child{width:48%}
table.metrics th:nth-child(2){width:20%}table.metrics th:nth-child(3){width:18%}}
caption{text-align:left;font-weight:600;padding-bottom:6px}
th,td{text-align:left;padding:8px 12px 8px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
thead th{color:var(--soft);font-weight:600;border-bottom:2px solid var(--line)}
tbody th{font-weight:600}
td.number{font-variant-numeric:tabular-nums;white-space:nowrap}
.how{display:block;color:var(--soft);font-weight:400;font-size:.87rem;max-width:60ch}
.status{display:inline-block;padding:1px 10px;border-radius:99px;font-size:.88rem;font-weight:600;white-space:nowrap;
color:var(--none);background:var(--none-bg)}
.status.pass{color:var(--pass);background:var(--pass-bg)}
.status.uncertain{color:var(--uncertain);background:var(--uncertain-bg)}
.status.fail{color:var(--fail);background:var(--fail-bg)}
.because{display:block;color:var(--soft);font-size:.87rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:0 0 16px}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,430px),1fr));gap:20px;margin-top:12px}
figure{margin:0;min-width:0}
figure img{width:100%;height:auto;display:block;border-radius:6px}
figure.map img{background:#fff}
figcaption{color:var(--soft);font-size:.88rem;margin-top:6px}
ul.warnings{padding-left:1.2em;margin:0}
ul.warnings li{margin-bottom:6px;overflow-wrap:anywhere}
ol.chain{list-style:none;margin:0;padding:0 0 0 22px;border-left:2px solid var(--line)}
ol.chain>li{position:relative;margin-bottom:12px;overflow-wrap:anywhere}
ol.chain>li::before{content:"";position:absolute;left:-29px;top:.45em;width:12px;height:12px;border-radius:50%;
background:var(--card);border:2px solid var(--accent)}
ol.chain strong{display:block}
ol.chain span{display:block;font-size:.88rem;color:var(--soft)}
summary{cursor:pointer;color:var(--accent)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));gap:18px}
article{border:1px solid var(--line);border-radius:8px;padding:14px 16px;min-width:0}
article h4{margin:0 0 8px;font-size:1rem;overflow-wrap:anywhere}
.stamps{display:grid;grid-template-columns:repeat(3,1fr);gap:8px;margin-bottom:10px}
.stamps img{image-rendering:pixelated;aspect-ratio:1}
.stamps figcaption{text-align:center;margin-top:2px}
article dl{font-size:.9rem;margin-bottom:8px}
article ul{margin:0;padding-left:1.1em;font-size:.9rem}
footer{color:var(--soft);font-size:.88rem;padding-bottom:40px}
@media(max-width:640px){main,header,footer,nav{padding-left:14px;padding-right:14px}section{padding:16px 14px}
h1{font-size:1.5rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}
table.metrics thead{position:absolute;clip-path:inset(50%)}
table.metrics tr{display:block;border-bottom:1px solid var(--line);padding:10px 0}
table.metrics th,table.metrics td{display:block;border:0;padding:2px 0;white-space:normal}
table.metrics td[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}
table.metrics td:empty{display:none}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--accent:#000;
--pass:#17653a;--pass-bg:#fff;--uncertain:#7a4b00;--uncertain-bg:#fff;--fail:#a3161f;--fail-bg:#fff;--none:#444;
--none-bg:#fff}body{font-size:10.5pt}.plot img{filter:none}nav{display:none}section{border:0;padding:0;margin:14px 0}
tr,figure,article{break-inside:avoid}h2,h3{break-after:avoid}.status{border:1px solid currentColor}
main,header,footer{padding:0;max-width:none}.figures{grid-template-columns:1fr 1fr}
.cards{grid-template-columns:1fr 1fr}a{color:inherit;text-decoration:none}}
)";

}  // namespace reber
