import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'vite';
import { defineConfig } from 'vitepress';

import { readNavigation } from './navigation.js';

/** Copies of the documents, with README.md as index.md; build.ts makes them. */
const srcDir = fileURLToPath(new URL('../pages', import.meta.url));
const outDir = fileURLToPath(new URL('../dist', import.meta.url));
/** The app as a classic script: browsers load no modules from `file:`, where each file is an origin of its own. */
const CLASSIC = 'assets/app-from-file.js';

/** As GitHub names a heading, so that the links between documents work here as they do there. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');

export default defineConfig({
  title: 'express-authorization-server',
  description: 'Turn your Express site into an OAuth 2.0 authorization server.',
  srcDir,
  outDir,
  cacheDir: join(outDir, '.cache'),
  // every URL is relative to its page, so that the site works in any folder, with and without a server
  base: './',
  // the list for language models is no page, and the example runs on this machine
  ignoreDeadLinks: [/llms\.txt$/, /^http:\/\/localhost/],
  head: [['meta', { name: 'color-scheme', content: 'light dark' }]],
  markdown: {
    anchor: { slugify },
    config: (markdown) => {
      // README.md is the front page
      const normalize = markdown.normalizeLink;
      markdown.normalizeLink = (url) => normalize(url.replace(/(^|\/)README\.md(?=#|$)/, '$1index.md'));
      // to Vue a path without ./ is a package
      markdown.core.ruler.push('pictures', ({ tokens }) => {
        for (const token of tokens.filter(({ type }) => type === 'html_block'))
          token.content = token.content
            .replaceAll(/(src|srcset)="(?=\w+\/)/g, '$1="./')
            .replace('<p>', '<p tabindex="0">');
        // on a phone a picture scrolls, by the keyboard too
        for (const [index, { type, children }] of tokens.entries())
          if (type === 'inline' && children.length === 1 && children[0].type === 'image')
            tokens[index - 1].attrSet('tabindex', '0');
      });
      markdown.core.ruler.push('empty-headers', (state) => {
        state.tokens = withoutEmptyHeaders(state.tokens);
      });
      // {{ in code is no expression of Vue, and a flag or a name does not break at its hyphens
      const renderCode = markdown.renderer.rules.code_inline;
      markdown.renderer.rules.code_inline = (tokens, index, ...of) => {
        const isWord = /^\S{1,40}$/.test(tokens[index].content);
        return renderCode(tokens, index, ...of).replace(
          '<code',
          `<code v-pre${isWord ? ' class="word"' : ''}`,
        );
      };
    },
  },
  router: { prefetchLinks: false },
  vite: { build: { modulePreload: false } },
  themeConfig: {
    sidebar: readNavigation(srcDir),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        detailedView: false,
        _render: renderForSearch,
        miniSearch: {
          searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, boostDocument },
        },
      },
    },
    docFooter: { prev: 'Previous page', next: 'Next page' },
  },
  // what theme/index.js knows of the page if it cannot load its module
  transformHead: ({ pageData }) => [
    ['script', {}, `window.__PAGE_DATA__=${JSON.stringify(pageData).replaceAll('<', '\\u003c')}`],
  ],
  transformHtml: loadByProtocol,
  buildEnd: buildClassicScript,
});

/** A table without headings has none, and an empty cell among headings is none. */
function withoutEmptyHeaders(tokens) {
  const isEmpty = (index) => tokens[index]?.type === 'th_open' && tokens[index + 1].content === '';
  const heads = tokens.flatMap(({ type }, index) => (type === 'thead_open' ? [index] : []));
  const left = new Set();
  for (const head of heads) {
    const end = tokens.findIndex(({ type }, index) => index > head && type === 'thead_close');
    const cells = tokens.flatMap(({ type }, index) =>
      index > head && index < end && type === 'th_open' ? [index] : [],
    );
    if (cells.every(isEmpty)) for (let index = head; index <= end; index++) left.add(index);
    for (const cell of cells.filter(isEmpty)) tokens[cell].tag = tokens[cell + 2].tag = 'td';
  }
  return tokens.filter((_, index) => !left.has(index));
}

/** An explanation comes before a table of options, and before what few look for. The function is sent to browsers. */
function boostDocument(id) {
  if (/docs\/guide/.test(id)) return 1.4;
  if (/docs\/reference\//.test(id)) return 0.5;
  return /docs\/(skills|benchmark|rfcs|migration|roadmap|comparison)/.test(id) ? 0.6 : 1;
}

/** The changelog has every word, and would come first for each. */
function renderForSearch(source, env, markdown) {
  return env.relativePath === 'CHANGELOG.md' ? '' : markdown.render(source, env);
}

/**
 * By http: the modules, as VitePress has them; from a file classic scripts. A script that a script adds is not deferred,
 * and Vue finds mismatches in a page that the browser has not parsed to its end.
 */
function loadByProtocol(html) {
  const starts = /<script type="module" src="([^"]+)"><\/script>/g;
  if (!/<script type="module" src="[^"]*assets\/app\.[^"]+"/.test(html))
    throw new Error('VitePress starts its app in another way than before');
  return html
    .replaceAll(starts, (_, source) => {
      const classic = source.replace(/assets\/app\.[^/]+$/, CLASSIC);
      return `<script>addEventListener('DOMContentLoaded',()=>document.head.append(Object.assign(document.createElement('script'),location.protocol==='file:'?{src:'${classic}',async:false}:{type:'module',src:'${source}',async:false})))</script>`;
    })
    .replaceAll(/ *<link rel="modulepreload"[^>]*>\n?/g, '');
}

/** The built app in one file, with the search index. */
async function buildClassicScript() {
  const assets = join(outDir, 'assets');
  const entry = (await readdir(assets)).find((name) => /^app\..+\.js$/.test(name));
  const { output } = await build({
    configFile: false,
    root: outDir,
    logLevel: 'error',
    build: {
      write: false,
      rolldownOptions: {
        input: join(assets, entry),
        output: { format: 'iife', codeSplitting: false },
      },
    },
  });
  await writeFile(join(outDir, CLASSIC), output[0].code);
}
