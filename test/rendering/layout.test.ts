import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import { engine } from 'express-handlebars';
import mongoose from 'mongoose';

import { authorizationServer, type Layout } from '../../lib/index.js';
import { fileText } from '../docs/blocks.js';
import { openFolder } from '../support/folder.js';
import { closePagesApps, type PagesApp, startPagesApp } from '../support/pages-app.js';
import { hiddenFields, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';
import { withoutDetail } from '../support/without-detail.js';

/** The layout of docs/pages.md, for the engine of Express. */
let rendered: Layout;
const folder = fixture(() =>
  openFolder({
    'layout.mjs': fileText('layout.mjs'),
    'oauth.pug': fileText('oauth.pug'),
    'layout.pug':
      'doctype html\nhtml(lang=locale dir=direction)\n  head\n    title= title\n    link(rel="stylesheet" href="/site.css")\n  body\n    nav= siteTitle\n    if error\n      p.flash= error\n    main\n      block content\n',
    'oauth.hbs': fileText('oauth.hbs'),
    'main.hbs':
      '<!doctype html><html lang="{{locale}}" dir="{{direction}}"><head><title>{{title}}</title></head><body><nav>{{siteTitle}}</nav>{{#if error}}<p class="flash">{{error}}</p>{{/if}}<main>{{{body}}}</main></body></html>',
    'oauth.ejs': fileText('oauth.ejs'),
    'frame.ejs':
      '<!doctype html><html lang="<%= locale %>" dir="<%= direction %>"><head><title><%= title %></title></head><body><nav><%= siteTitle %></nav><% if (locals.error) { %><p class="flash"><%= error %></p><% } %><main><%- body %></main></body></html>',
    'layout.ejs':
      '<!doctype html><html lang="<%= locale %>" dir="<%= direction %>"><head><title><%= title %></title><link rel="stylesheet" href="<%= stylesheet %>"></head><body><nav><%= siteTitle %></nav><% if (locals.error) { %><p class="flash"><%= error %></p><% } %><main><%- body %></main></body></html>',
  }),
);
beforeAll(async () => {
  ({ layout: rendered } = (await import(join(folder.path, 'layout.mjs'))) as { layout: Layout });
});
afterAll(closePagesApps);

const errorPage = (app: PagesApp) => app.agent().get('/oauth/authorize?client_id=nobody');
/** The messages that connect-flash sites show. */
const flash = { error: '' };
const flashes = (app: Express) =>
  app.use((_req, res, next) => {
    res.locals.siteTitle = 'Our site';
    if (flash.error !== '') res.locals.error = flash.error;
    next();
  });
beforeEach(() => void (flash.error = ''));

/** Like express-ejs-layouts: the output of the view is `body` in the layout, unless the view has one itself. */
const framed: RequestHandler = (_req, res, next) => {
  const render = res.render.bind(res) as (view: string, locals: object, done: Rendered) => void;
  res.render = (view: string, locals?: object, done?: Rendered) => {
    render(view, locals!, (error, body) => {
      if (error) done!(error, '');
      else render('frame', { body, ...locals }, done!);
    });
  };
  next();
};
type Rendered = (error: Error, html: string) => void;

interface Host {
  readonly before: (app: Express) => void;
  readonly hasEngine?: boolean;
}

describe.each<[string, Host]>([
  [
    'pug',
    { before: (app) => flashes(app.set('views', folder.path).set('view engine', 'pug')), hasEngine: true },
  ],
  [
    'express-handlebars, whose render is asynchronous',
    {
      before(app) {
        app.engine('hbs', engine({ extname: 'hbs', layoutsDir: folder.path, defaultLayout: 'main' }));
        flashes(app.set('views', folder.path).set('view engine', 'hbs'));
      },
      hasEngine: true,
    },
  ],
  [
    'express-ejs-layouts, where the options of a view are those of the layout',
    {
      before: (app) => flashes(app.set('views', folder.path).set('view engine', 'ejs').use(framed)),
      hasEngine: true,
    },
  ],
  ['the layout.ejs of views', { before: flashes }],
])('a layout of the host’s by %s', (_engine, { before, hasEngine }) => {
  const app = fixture(() => {
    const own = hasEngine === true ? { pages: { layout: rendered } } : { pages: { views: folder.path } };
    return startPagesApp({ before, ...own });
  });

  it('the layout frames the bundled login, whose form works', async () => {
    const agent = app.agent();
    const page = await agent.get('/login').set('Accept-Language', 'ar').expect(200);
    expect(page.text.match(/<html[^>]*>|<nav>.*?<\/nav>|<body|<main|<\/html>/g)).toEqual([
      '<html lang="ar" dir="rtl">',
      '<body',
      '<nav>Our site</nav>',
      '<main',
      '</html>',
    ]);
    expect(page.text).toMatch(/<main>[^]*<div class="eas-page eas-narrow" lang="ar" dir="rtl">/);
    expect(page.text).toMatch(/<link rel="stylesheet" href="\/login\/style-[0-9a-f]{16}\.css"\/?>/);
    if (hasEngine === true) expect(page.text).toMatch(/<script src="\/login\/script-[0-9a-f]{16}\.js" defer/);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(page.headers['cache-control']).toBe('no-store');
    await postForm(agent, '/login', {
      ...hiddenFields(page),
      username: 'ada',
      password: 'password of ada',
    }).expect(303);
  });

  it('the page’s error is not the host’s flash message, and the flash not the page’s error', async () => {
    expect((await errorPage(app)).text).not.toContain('class="flash"');
    flash.error = 'Wrong password';
    const { text } = await errorPage(app).expect(400);
    expect(text).toContain('<p class="flash">Wrong password</p>');
    expect(text).toContain('<dd><code>invalid_client</code></dd>');
    expect(text).toContain('<title>We do not know this app</title>');
    // trying again with the id of an ended registration fails for ever
    expect(text).toContain('remove the connection in the app and add it again');
  });
});

describe('a layout that fails', () => {
  let layout: Layout;
  const own = { pages: { layout: ((...given) => layout(...given)) satisfies Layout } };
  const app = fixture(() => startPagesApp({ ...own }));
  beforeEach(() => void (app.errors.length = 0));

  const escaped = (html: string) => html.replace(/</g, '&lt;');
  it.each<[string, Layout, string]>([
    ['throws', () => JSON.parse('no JSON') as string, 'the layout of the pages failed'],
    ['rejects', () => Promise.reject(new Error('no view')), 'the layout of the pages failed'],
    ['gives nothing', () => undefined as unknown as string, 'gave no HTML but undefined'],
    ['gives no text', ({ content }) => Buffer.from(content) as unknown as string, 'gave no HTML but object'],
    ['is empty', () => '', 'left out page.content, or changed it'],
    ['leaves the page out', ({ title }) => `<h1>${title}</h1>`, 'left out page.content, or changed it'],
    ['escapes the page', ({ content }) => `<main>${escaped(content)}</main>`, '{{{content}}} in Handlebars'],
    [
      'returns half of the page',
      ({ content }) => content.slice(0, content.length / 2),
      'left out page.content, or changed it',
    ],
  ])('an error page appears if a layout %s', async (_how, given, reason) => {
    layout = given;
    const { text, headers } = await app.agent().get('/login').expect(500);
    expect(text).toMatch(/^<!doctype html>[^]*<body class="eas-page eas-narrow">[^]*<\/html>\s*$/);
    expect(text).toContain('<h1>Something went wrong here</h1>');
    expect(text).not.toContain('login-form');
    expect(withoutDetail(text)).not.toContain('layout');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(app.errors.map(({ error }) => error)).toEqual(['server_error']);
    expect(app.errors[0]?.detail).toContain(reason);
  });

  it('an error retains its status and text if the layout fails only on its page', async () => {
    layout = ({ content, title }) => (title === 'Log in' ? `<main>${content}</main>` : '');
    const page = await app.agent().post('/login').send({ json: true }).expect(400);
    expect(page.text).toMatch(/<body class="eas-page eas-narrow">[^]*could not be read/);
    expect(app.errors.map(({ error }) => error)).toEqual(['invalid_request', 'server_error']);
  });

  it('a layout that sends the response itself is reported to onError', async () => {
    layout = (_page, _req, res) => res.send('<p>by itself') as unknown as string;
    await app.agent().get('/login').catch(String);
    expect(app.errors[0]?.detail).toContain('has sent the answer itself, without our headers');
  });

  it.each([
    [{ pages: { layout: 'main.pug' } }, /the option pages.layout must be .*\(page, req, res\) => html/],
    [{ pages: { sources: { script: ['data:'] } } }, /pages\.sources\.script/],
    [
      { pages: { sources: { image: ['data:text'] } } },
      /pages\.sources\.image.*, 'self' or 'data:', not 'data:text'/,
    ],
  ])('the options %j are refused when the server starts', (options, problem) => {
    const site = {
      issuer: 'https://photos.example',
      connection: mongoose.connection,
      scopes: {},
      login: '/login',
    };
    expect(() => authorizationServer({ ...site, ...(options as object) })).toThrow(problem);
  });
});

it('sources.image data: allows pictures in stylesheets', async () => {
  const app = await startPagesApp({ pages: { sources: { image: ['data:'] } } });
  const { headers } = await app.agent().get('/login');
  expect(headers['content-security-policy']).toContain("img-src 'self' data:;");
  expect(headers['content-security-policy']).toContain("script-src 'self';");
});
