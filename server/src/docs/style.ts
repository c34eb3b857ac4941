import { createHash } from 'node:crypto';

const COLORS = `
:root{color-scheme:light dark;--ground:#f5f6f8;--paper:#fff;--ink:#1b1f27;--soft:#566070;--line:#dde2ea;--strong:#1f5fbf;--tint:#eaf1fc;--code:#f6f8fb;--inline:#eef1f6;--mark:#fff4d6;--shade:#1b1f2729;--keyword:#7a2e8e;--string:#1a6b3c;--number:#99470a;--title:#1f5fbf;--builtin:#0c6470;--comment:#5d6779}
@media (prefers-color-scheme:dark){:root{--ground:#12151b;--paper:#171b22;--ink:#e6eaf1;--soft:#a3aebd;--line:#2e3645;--strong:#8db8ff;--tint:#1e2a3f;--code:#1d222b;--inline:#262d39;--mark:#3a2f10;--shade:#000000b3;--keyword:#d3a6ff;--string:#93d6a3;--number:#ffb77a;--title:#8db8ff;--builtin:#7fd3dd;--comment:#97a2b3}}
`;

const FRAME = `
*{box-sizing:border-box}
html{scroll-padding-top:4.5rem;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.65 system-ui,-apple-system,"Segoe UI","Hiragino Sans","Noto Sans JP","Yu Gothic UI",sans-serif;overflow-wrap:break-word}
a{color:var(--strong);text-underline-offset:.2em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--strong);outline-offset:2px;border-radius:.25rem}
main:focus{outline:0}
.skip{position:fixed;left:1rem;top:-4rem;z-index:3;padding:.5rem 1rem;background:var(--strong);color:var(--paper);border-radius:.5rem}
.skip:focus{top:.5rem}
.top{position:sticky;top:0;z-index:2;background:var(--paper);border-bottom:1px solid var(--line)}
.top p{display:flex;align-items:center;gap:1.25rem;max-width:84rem;height:3.25rem;margin:0 auto;padding:0 1rem}
.top a{color:var(--soft);text-decoration:none;white-space:nowrap}
.top a:hover{color:var(--strong)}
.top .brand{color:var(--ink);font-weight:700}
.top .aside{margin-left:auto}
@media (max-width:24rem){.top p{gap:.75rem;font-size:.8125rem}}
.columns{max-width:84rem;margin:0 auto;padding:0 1rem}
.wide{display:none}
.narrow{margin:.75rem 0;font-size:.9375rem;border:1px solid var(--line);border-radius:.5rem;background:var(--ground)}
.narrow summary{padding:.5rem .875rem;font-weight:600;cursor:pointer}
.narrow nav{padding:0 1rem 1rem}
nav h2{margin:1.5rem 0 .375rem;font-size:.8125rem;color:var(--soft);font-weight:600}
nav section:first-child h2{margin-top:0}
nav ul{margin:0;padding:0;list-style:none}
nav li a{display:block;padding:.25rem .75rem;margin:0 -.75rem;border-radius:.375rem;color:var(--ink);text-decoration:none;font-size:.9375rem;line-height:1.45}
nav li a:hover{background:var(--tint)}
nav li a[aria-current]{background:var(--tint);color:var(--strong);font-weight:600}
nav .deeper a{padding-left:1.75rem;color:var(--soft)}
.neighbors{display:flex;flex-wrap:wrap;gap:1rem;margin:3.5rem 0 1rem}
.neighbors a{flex:1 1 14rem;padding:.875rem 1.125rem;border:1px solid var(--line);border-radius:.625rem;text-decoration:none;font-weight:600}
.neighbors a:hover{border-color:var(--strong);background:var(--tint)}
.neighbors [rel=next]{text-align:right}
.neighbors small{display:block;color:var(--soft);font-weight:400}
.language{margin:0;text-align:right;font-size:.875rem}
.source{margin:0 0 3rem;font-size:.875rem}
.source a{color:var(--soft)}
@media (min-width:62rem){
.columns{display:grid;grid-template-columns:14rem minmax(0,46rem);justify-content:center;gap:0 3.5rem;padding:0 1.5rem}
.top p{padding:0 1.5rem}
nav.wide{display:block;position:sticky;top:3.25rem;align-self:start;max-height:calc(100vh - 3.25rem);overflow-y:auto;padding:2rem .75rem 3rem;scrollbar-width:thin}
nav.wide.contents{display:none}
.narrow:not(.contents){display:none}
main{padding-top:1rem}
}
@media (min-width:76rem){
.columns{grid-template-columns:14rem minmax(0,46rem) 13rem;justify-content:space-between;gap:0 2.5rem}
nav.wide.contents{display:block}
.contents li a{font-size:.8125rem;padding-block:.1875rem;color:var(--soft)}
.contents .deeper a{padding:.1875rem .25rem .1875rem 1.375rem}
.contents li a[aria-current]{background:none;color:var(--strong)}
.contents h2{margin-top:.25rem}
.narrow.contents{display:none}
}
`;

const ARTICLE = `
article>:first-child{margin-top:1rem}
h1{margin:0 0 1.25rem;font-size:clamp(1.625rem,1.3rem + 1.5vw,2.125rem);line-height:1.25;letter-spacing:-.012em;text-wrap:balance}
article h2{margin:3rem 0 .875rem;padding-top:.25rem;font-size:1.375rem;line-height:1.35;text-wrap:balance}
article h3{margin:2.25rem 0 .625rem;font-size:1.0625rem;line-height:1.4}
article h4{margin:1.75rem 0 .5rem;font-size:1rem}
.anchor{color:var(--soft);font-weight:400;text-decoration:none;opacity:0;padding:0 .25em}
:hover>.anchor,.anchor:focus-visible{opacity:1}
@media (hover:none){.anchor{opacity:.55}}
article :target{background:linear-gradient(var(--mark),var(--mark)) no-repeat;border-radius:.25rem;box-shadow:0 0 0 .375rem var(--mark)}
article p,article ul,article ol,article blockquote{margin:0 0 1.125rem}
article ul,article ol{padding-left:1.5rem}
article li{margin:.375rem 0}
article li>ul,article li>ol{margin:.25rem 0}
article li::marker{color:var(--soft)}
article hr{margin:2.5rem 0;border:0;border-top:1px solid var(--line)}
blockquote{padding:.75rem 1.125rem;border-left:.25rem solid var(--strong);border-radius:.25rem;background:var(--tint)}
blockquote>:last-child{margin-bottom:0}
img{display:block;max-width:100%;height:auto;border:1px solid var(--line);border-radius:.625rem}
code{font:.875em/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
:not(pre)>code{padding:.125em .325em;border-radius:.3125rem;background:var(--inline);-webkit-box-decoration-break:clone;box-decoration-break:clone;overflow-wrap:anywhere}
.code{position:relative;margin:0 0 1.25rem;border:1px solid var(--line);border-radius:.625rem;background:var(--code);overflow:hidden}
.code pre{margin:0;padding:.875rem 1.125rem;font-size:.84375rem;line-height:1.6;overflow-x:auto;scrollbar-width:thin;tab-size:2}
.code figcaption{padding:.375rem 1.125rem;border-bottom:1px solid var(--line);color:var(--soft);font:.8125rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.code pre code{font-size:inherit;line-height:inherit}
.copy{position:absolute;top:.4375rem;right:.4375rem;padding:.125rem .625rem;border:1px solid var(--line);border-radius:.375rem;background:var(--paper);color:var(--soft);font:inherit;font-size:.75rem;cursor:pointer;opacity:0}
@media (prefers-reduced-motion:no-preference){.copy{transition:opacity .12s}}
.code:hover .copy,.copy:focus-visible,.copy.done{opacity:1}
.copy:hover{color:var(--strong);border-color:var(--strong)}
@media (hover:none){.copy{opacity:1}.code pre{padding-right:4.5rem}}
figcaption~.copy{top:.25rem}
.table{margin:0 0 1.25rem;overflow-x:auto;scrollbar-width:thin;background:linear-gradient(to right,var(--paper) 1.5rem,transparent) 0 0/3rem 100% local,linear-gradient(to left,var(--paper) 1.5rem,transparent) 100% 0/3rem 100% local,linear-gradient(to right,var(--shade),transparent) 0 0/.875rem 100%,linear-gradient(to left,var(--shade),transparent) 100% 0/.875rem 100%;background-repeat:no-repeat}
table{border-collapse:collapse;min-width:100%;font-size:.9375rem;line-height:1.5}
th,td{padding:.5rem .875rem .5rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:600;font-size:.875rem;white-space:nowrap}
td{min-width:7rem}
td:first-child{min-width:5rem}
td code{overflow-wrap:normal}
@media (max-width:40rem){th,td{padding-right:.5rem}th{white-space:normal}td{min-width:4rem}td:first-child code{overflow-wrap:anywhere}}
.repository{color:var(--soft);font-size:.875em}
.hljs-comment,.hljs-quote,.hljs-meta{color:var(--comment)}
.hljs-keyword,.hljs-literal,.hljs-selector-tag{color:var(--keyword)}
.hljs-string,.hljs-regexp,.hljs-char.escape_{color:var(--string)}
.hljs-number,.hljs-variable,.hljs-template-variable,.hljs-symbol{color:var(--number)}
.hljs-title,.hljs-section,.hljs-attr,.hljs-attribute{color:var(--title)}
.hljs-built_in,.hljs-type,.hljs-property{color:var(--builtin)}
.hljs-subst{color:inherit}
`;

const PRINT = `
@media print{
.table{background:none}
:root{--ground:#fff;--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--strong:#003e99;--tint:#fff;--code:#fff;--inline:#fff;--mark:#fff}
.top,.skip,nav,details,.language,.source,.copy,.anchor{display:none!important}
.columns{display:block;max-width:none;padding:0}
body{font-size:10.5pt;line-height:1.5}
.code pre{white-space:pre-wrap;overflow-wrap:anywhere}
.code,tr,blockquote{break-inside:avoid}
h1,h2,h3,h4{break-after:avoid}
article a[rel~=external]::after{content:" (" attr(href) ")";color:var(--soft);font-size:.875em;overflow-wrap:anywhere}
}
`;

/** The style of pages: space for code, light and dark colors, and print. */
export const DOCS_STYLE = `${COLORS}${FRAME}${ARTICLE}${PRINT}`;

/** The CSP source expression that allows exactly this style (CSP 3 §2.3.1). */
export const DOCS_STYLE_SOURCE = `'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`;
