import { afterAll, describe, expect, it } from '@jest/globals';
import mongoose from 'mongoose';

import { authorizationServer, type ColorOptions, type PagesOptions } from '../../lib/index.js';
import { contrast, themeCss } from '../../lib/pages/rendering/theme.js';
import { openFolder } from '../support/folder.js';
import { closePagesApps, startPagesApp } from '../support/pages-app.js';
import { fixture } from '../support/site-for.js';

afterAll(closePagesApps);

const variablesIn = (css: string) => {
  const found = [...css.matchAll(/--eas-([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)];
  const read = (scheme: 2 | 3) => Object.fromEntries(found.map((match) => [match[1], match[scheme]]));
  return { light: read(2), dark: read(3) };
};

describe('the colours of a host', () => {
  it('colours become CSS variables, with a lighter accent in the dark scheme', () => {
    const { light, dark } = variablesIn(themeCss({ accent: '#B8336A' }));
    expect(light).toMatchObject({ accent: '#b8336a', 'on-accent': '#ffffff' });
    expect(dark.accent).not.toBe('#b8336a');
    expect(contrast(dark.accent ?? '', dark.surface ?? '')).toBeGreaterThanOrEqual(4.5);
  });

  it.each<ColorOptions>([
    { accent: '#b8336a' },
    { accent: '#000000' },
    { accent: { light: '#0b6e4f', dark: '#7fe0c0' } },
    { page: '#fff8f0', surface: '#fffdfa', text: '#2b1d0e' },
    { page: { light: '#ffffff', dark: '#000000' }, surface: { light: '#e4e4e4', dark: '#26262b' } },
  ])('the colours %j are readable everywhere (WCAG 2.2 §1.4.3)', (colors) => {
    for (const palette of Object.values(variablesIn(themeCss(colors)))) {
      for (const name of ['text', 'accent', 'soft']) {
        for (const behind of ['page', 'surface'])
          expect([name, behind, contrast(palette[name] ?? '', palette[behind] ?? '') >= 4.5]).toEqual([
            name,
            behind,
            true,
          ]);
      }
      expect(contrast(palette['on-accent'] ?? '', palette.accent ?? '')).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each<[ColorOptions, RegExp]>([
    [
      { accent: '#ff9900' },
      /pages\.colors\.accent: #ff9900 is hard to read on #f4f5f8 \(page\) in the light scheme: a contrast of 2\.\d, .*; #[0-9a-f]{6} would do/,
    ],
    [{ text: '#999999' }, /pages\.colors\.text: .*light scheme/],
    [{ accent: { light: '#2f54c8', dark: '#2f54c8' } }, /pages\.colors\.accent: .*dark scheme/],
    [{ surface: { light: '#ffffff', dark: '#ffffff' } }, /pages\.colors\.text: .*dark scheme/],
  ])('the colours %j are refused when the server starts, with a shade that would do', (colors, problem) => {
    expect(() => themeCss(colors)).toThrow(problem);
    const [, better = ''] =
      /; (#[0-9a-f]{6}) would do/.exec(
        (() => {
          try {
            return themeCss(colors);
          } catch (error) {
            return String(error);
          }
        })(),
      ) ?? [];
    if (colors.accent === '#ff9900') expect(() => themeCss({ accent: better })).not.toThrow();
  });

  it('the stylesheet contains the colours, and its name changes with them', async () => {
    const css = async (pages: PagesOptions) => {
      const app = await startPagesApp({ pages });
      const { text, headers } = await app.agent().get('/login');
      expect(headers['content-security-policy']).toContain("style-src 'self';");
      expect(text).not.toContain('style=');
      const [, href = ''] = /href="(\/login\/style-[0-9a-f]{16}\.css)"/.exec(text) ?? [];
      return { href, text: (await app.agent().get(href).expect(200)).text };
    };
    const [plain, own] = [await css({}), await css({ colors: { accent: '#b8336a' } })];
    expect(own.text).toContain('--eas-accent: #b8336a;');
    expect(own.text.startsWith(plain.text)).toBe(true);
    expect(own.href).not.toBe(plain.href);
  });
});

describe('wrong options of the look', () => {
  const start = (pages: unknown) => () =>
    authorizationServer({
      issuer: 'https://photos.example',
      connection: mongoose.connection,
      scopes: {},
      login: '/login',
      pages: pages as PagesOptions,
    });

  it.each<[unknown, string]>([
    [
      { colour: {} },
      "authorizationServer: the option pages has an unknown member 'colour'; did you mean 'colors'?",
    ],
    [{ colors: { accent: 'red' } }, 'pages.colors.accent'],
    [{ colors: { accent: '#fff; } body { display: none' } }, 'pages.colors.accent'],
    [{ logo: 'javascript:alert(1)' }, 'pages.logo'],
    [{ logo: '//evil.example/logo.png' }, 'pages.logo'],
    [{ logo: 'http://photos.example/logo.png' }, 'pages.logo'],
    [{ logo: "https://a.example/x;script-src 'unsafe-inline'" }, 'pages.logo'],
    [{ sources: { script: ["'unsafe-inline'"] } }, "'unsafe-inline' and the like are not possible"],
    [{ sources: { style: ['https://a.example; script-src *'] } }, 'pages.sources.style'],
    [{ sources: { script: ['*'] } }, 'pages.sources.script'],
    [{ locales: [] }, 'pages.locales'],
    [{ locales: ['tlh'] }, 'authorizationServer: the option pages.locales: there are no texts'],
    [{ colors: { accent: '#ffff00', page: '#ffffff' } }, 'authorizationServer: the option pages.colors'],
    [{ locale: 'de' }, 'pages.locale'],
  ])('the look %j is refused when the server starts', (pages, problem) => {
    expect(start(pages)).toThrow(TypeError);
    expect(start(pages)).toThrow(problem);
  });
});

describe('the logo of a host', () => {
  it('the logo stands beside the name, and the policy allows its origin', async () => {
    const app = await startPagesApp({ pages: { logo: 'https://cdn.example/logo.svg' } });
    const { text, headers } = await app.agent().get('/login');
    expect(text).toContain('<img class="eas-site-logo" src="https://cdn.example/logo.svg" alt=""');
    expect(headers['content-security-policy']).toContain("img-src 'self' https://cdn.example;");
  });
});

describe('the views folder of a host', () => {
  const folder = fixture(() =>
    openFolder({
      'partials/problem.ejs': '<p class="own-problem"><%= problems.length %></p>',
      'partials/header.ejs': '<header>own header of <%= siteName %></header>',
    }),
  );

  it('a partial in the host’s folder replaces that of the package by name', async () => {
    const app = await startPagesApp({ pages: { views: folder.path } });
    const ada = await app.personOf('ada');
    const { text } = await ada.get('/oauth/applications/new');
    expect(text).toContain('own header of Photos');
    // a partial that another partial includes by a relative name
    expect(text.match(/class="own-problem"/g)?.length).toBeGreaterThan(1);
    expect(text).toContain('id="application-form"');
  });

  it('layout.ejs in the host’s folder frames each page', async () => {
    await using own = await openFolder({
      'layout.ejs':
        '<!doctype html><html lang="<%= locale %>" dir="<%= direction %>"><head><title><%= title %></title><link rel="stylesheet" href="<%= stylesheet %>"><link rel="stylesheet" href="/site.css"></head><body><nav>Our site</nav><main><%- body %></main></body></html>',
    });
    const app = await startPagesApp({
      pages: {
        sources: { font: ['https://fonts.example'], style: ['https://fonts.example/css'] },
        views: own.path,
      },
    });
    const { text, headers } = await app.agent().get('/login').set('Accept-Language', 'ar');
    expect(text.match(/<html|<body|<main|<head>|<\/html>/g)).toEqual([
      '<html',
      '<head>',
      '<body',
      '<main',
      '</html>',
    ]);
    expect(text).toContain('<main><div class="eas-page eas-narrow" lang="ar" dir="rtl">');
    expect(text).toMatch(/id="login-form"[^]*<\/div>\s*<\/main>/);
    expect(headers['content-security-policy']).toContain('font-src https://fonts.example;');
    expect(headers['content-security-policy']).toContain("style-src 'self' https://fonts.example/css;");
    const [, href = ''] = /href="(\/login\/style-[0-9a-f]{16}\.css)"/.exec(text) ?? [];
    await app.agent().get(href).expect(200);
  });
});

describe('the script of the pages', () => {
  it('the script is cached for a year under a name that changes with its content', async () => {
    const app = await startPagesApp();
    const [, src = ''] =
      /<script src="(\/login\/script-[0-9a-f]{16}\.js)" defer><\/script>/.exec(
        (await app.agent().get('/login')).text,
      ) ?? [];
    const { headers } = await app.agent().get(src).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    await app.agent().get('/login/script-0000000000000000.js').expect(404);
  });
});
