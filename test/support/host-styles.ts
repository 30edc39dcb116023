/** Bootstrap 5's (and 4's) styles of elements, and names that anybody could use; collected from its source. */
export const LIKE_BOOTSTRAP = `
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; font: 400 1rem/1.5 sans-serif; color: #212529; background-color: #fff; }
h1, h2, h3 { margin-top: 0; margin-bottom: .5rem; font-weight: 500; line-height: 1.2; }
h1 { font-size: 2.5rem; } h2 { font-size: 2rem; } h3 { font-size: 1.75rem; }
p { margin-top: 0; margin-bottom: 1rem; }
ul { padding-left: 2rem; margin-top: 0; margin-bottom: 1rem; }
dt { font-weight: 700; } dd { margin-bottom: .5rem; margin-left: 0; }
code { font-size: .875em; color: #d63384; }
label { display: inline-block; margin-bottom: .5rem; }
button { border-radius: 0; } button, input, textarea { margin: 0; font: inherit; text-transform: none; }
legend { float: left; width: 100%; padding: 0; margin-bottom: .5rem; font-size: 1.5rem; line-height: inherit; }
legend + * { clear: left; }
a { color: #0d6efd; text-decoration: underline; }
.lead { font-size: 1.25rem; font-weight: 300; }
.card { display: flex; flex-direction: column; border: 1px solid #ddd; background: #fff; }
.badge { display: inline-block; padding: .35em .65em; font-size: .75em; font-weight: 700; line-height: 1; color: #fff; }
.alert { padding: 1rem; border: 1px solid transparent; } .narrow, .wide { max-width: 200px; }
.btn { padding: 6px 12px; border: 1px solid #0d6efd; background: #0d6efd; color: #fff; }
.link, .mark, .tile, .grant, .site, .notice, .choice, .line, .button { background: red; color: red; font-size: 3rem; }
`;

/** Tailwind's preflight: the styles it removes from elements, unlayered as in version 3, with its forms plugin. */
export const LIKE_TAILWIND = `
*, ::before, ::after { box-sizing: border-box; border: 0 solid #e5e7eb; }
body { margin: 0; font-family: sans-serif; line-height: inherit; color: #111; background: #fff; }
h1, h2, h3 { margin: 0; font-size: inherit; font-weight: inherit; }
a { color: inherit; text-decoration: inherit; } p, dl, dd, fieldset { margin: 0; } fieldset, legend { padding: 0; }
ol, ul, menu { margin: 0; padding: 0; list-style: none; } img { display: block; max-width: 100%; height: auto; }
button, input, textarea { margin: 0; padding: 0; font: inherit; color: inherit; }
button, [type="button"], [type="submit"] { appearance: button; background: transparent none; }
[type="text"], [type="password"], textarea { appearance: none; padding: .5rem .75rem; border: 1px solid #6b7280; background: #fff; }
[type="checkbox"], [type="radio"] { appearance: none; width: 1rem; height: 1rem; border: 1px solid #6b7280; color: #2563eb; }
[type="checkbox"]:checked { border-color: transparent; background-color: currentColor; }
`;

/** A dark site that does not declare its scheme. */
export const DARK = `
body { margin: 0; background: #14161c; color: #e9eaee; font: 16px/1.4 serif; } a { color: #8ab4ff; }
section, form { padding: 40px; } nav { background: #222; padding: 20px; }
`;

/** Hostile styles, with !important: everything is white on white, tiny, turned away and hidden. */
export const HOSTILE = `
* { color: #fff !important; background: #fff !important; font-size: 1px !important; text-indent: -999px !important;
  opacity: 0 !important; -webkit-text-fill-color: #fff !important; letter-spacing: -1em !important; }
div span.eas-badge.eas-unverified, #client-unverified { display: none !important; visibility: hidden !important;
  position: absolute !important; left: -999px !important; transform: scale(0) !important; clip-path: circle(0) !important; }
.eas-unverified::after, #client-unverified::before { content: 'Verified' !important; color: green !important; }
`;
