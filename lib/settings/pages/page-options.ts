import { existsSync } from 'node:fs';

import type { Request, Response } from 'express';

import type { Messages } from '../../messages/index.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import * as z from '../../shared/schema.js';
import { group, objectOf, option, type OptionsOf, required } from '../table/option.js';
import { callback, flag, listOf, recordOf, text, textLike } from '../table/shapes.js';

/** A colour as `#rrggbb`, for the light scheme alone or for both. */
export type Color = string | { readonly light: string; readonly dark: string };

const COLOR = 'a colour such as #2f54c8, or { light, dark }';
const hexColor = () => textLike(/^#[0-9a-f]{6}$/i, 'a colour such as #2f54c8');
const schemeRows = {
  /** For the light scheme. */
  light: required({ shape: hexColor }),
  /** For the dark one. */
  dark: required({ shape: hexColor }),
};
const color = (): z.Schema<Color, Color> => z.union([hexColor(), objectOf(schemeRows, COLOR)], COLOR);

const colorOptions = {
  /**
   * Buttons, links and what has the focus. From one colour, the dark scheme gets a lighter shade. Default: the
   * package's.
   */
  accent: option({ shape: color }),
  /** The background. One colour is for the light scheme alone. Default: the package's. */
  page: option({ shape: color }),
  /** Cards and fields, as `page`. Default: the package's. */
  surface: option({ shape: color }),
  /** The text, as `page`. Default: the package's. */
  text: option({ shape: color }),
};

/** The colours of the pages. Colours that are hard to read on each other are refused at start-up (WCAG 2.2 §1.4.3). */
export type ColorOptions = OptionsOf<typeof colorOptions>;

// a header value: it must not end the directive, or let injected markup run
const SOURCE =
  /^('self'|'(sha256|sha384|sha512)-[A-Za-z0-9+/=]+'|https:\/\/[A-Za-z0-9*.-]+(:\d+)?(\/[^\s;,'"]*)?)$/;
const sources = () =>
  listOf(
    textLike(
      SOURCE,
      "a CSP source such as https://fonts.example or 'self'; 'unsafe-inline' and the like are not possible",
    ),
    "a list of CSP sources, such as ['https://fonts.example']",
  );

const sourceOptions = {
  /** Stylesheets. */
  style: option({ shape: sources }),
  /** Scripts. */
  script: option({ shape: sources }),
  /** Pictures; `'data:'` for those inside a stylesheet such as Bootstrap's. */
  image: option({
    // stylesheets draw ticks and arrows with `data:`; a picture runs no script
    shape: () =>
      listOf(
        textLike(
          new RegExp(`^data:$|${SOURCE.source}`),
          "a CSP source such as https://images.example, 'self' or 'data:'; others without a host are not possible",
        ),
        "a list of CSP sources, such as ['https://images.example', 'data:']",
      ),
  }),
  /** Fonts. */
  font: option({ shape: sources }),
  /** What scripts may send requests to. */
  connect: option({ shape: sources }),
};

/** More places that the pages may load from, as CSP sources (`https://fonts.example`), for a layout of your own. */
export type SourceOptions = OptionsOf<typeof sourceOptions>;

/** Texts by language and key. */
export interface Texts {
  readonly [language: string]: Partial<Messages>;
}

// safe in an attribute and in a header, with no other scheme
/** The target of a link on a page. */
export const address = (example: string): z.Schema<string, string> => {
  const message = `a path on this site such as ${example}, or an https: URL`;
  return z
    .string(message)
    .regex(/^(\/(?![/\\])|https:\/\/)[^\s"'<>\\;,]*$/, message)
    .refine((value) => URL.canParse(value, 'https://same.invalid'), message);
};

const FOLDER = "a folder that exists, such as 'views/oauth'";

/** A page for the site's layout. */
export interface LayoutPage {
  /**
   * The page as HTML, to be inserted unescaped: `{{{content}}}`, `!= content`, `<%- content %>`. It is not called
   * `body`, because many engines use this name for a view's content (express-ejs-layouts, ejs-mate,
   * express-handlebars).
   */
  readonly content: string;
  /** Text, not yet escaped. */
  readonly title: string;
  /** The language of the page (BCP 47), for `lang`. */
  readonly locale: string;
  /** For `dir`. */
  readonly direction: 'ltr' | 'rtl';
  /** Path of the package's stylesheet. */
  readonly stylesheet: string;
  /** Path of the package's script, if the page uses it: `<script src="…" defer>`. */
  readonly script: string | undefined;
}

/** Returns the whole HTML of a page, including `page.content`. */
export type Layout = (page: LayoutPage, req: Request, res: Response) => string | Promise<string>;

/** A user's report of a connected application. */
export interface AppReport {
  /** The user who reports it. */
  readonly userId: string;
  readonly clientId: string;
  /** Plain text of at most 1,000 characters. Escape it, because the user typed it. */
  readonly text: string;
}

/** How the pages look and speak. languages.ts and theme.ts check the members. */
export const lookOptions = {
  /**
   * The languages (BCP 47), the default one first. Default: `en`, `de`, `es`, `fr`, `ja`, `ar`, and those of
   * `messages`.
   */
  locales: option({
    shape: () =>
      listOf(text("a language, such as 'en'"), "a list of one language at least, such as ['en', 'de']", {
        isNeeded: true,
      }),
  }),
  /**
   * Texts by language and key (of the type `Messages`), which replace the package's or add a language: `{ en: {
   * 'login.title': 'Sign in' } }`. A missing text is English. Default: none.
   */
  messages: option({
    shape: (): z.Schema<Texts, Texts> =>
      recordOf(
        recordOf(z.string('a text'), "an object of texts, such as { 'login.title': 'Sign in' }"),
        "an object of language and texts, such as { en: { 'login.title': 'Sign in' } }",
      ),
  }),
  /**
   * `(req) => 'de'` or `undefined`: the language of a request, after `ui_locales` and before `Accept-Language`. It
   * removes the language switch. Default: none.
   */
  locale: option({
    shape: () => callback<(req: Request) => string | undefined>('(req) => req.user?.language'),
  }),
  /**
   * Where the site's name and error pages link to: a path on this site, or an https: URL. If it is a path, `localLogin`
   * sends users there after the logout, and after a login without a way back. Default: `/`.
   */
  home: option({ shape: () => address('/'), default: '/' }),
  /**
   * A page that asks users whether to log out, written like `home`. Default: that of `localLogin` if the site has it,
   * otherwise none.
   */
  logout: option({ shape: () => address('/logout') }),
  /** The logo beside the site's name, written like `home`. Default: none. */
  logo: option({ shape: () => address('/logo.svg') }),
  /**
   * The colours, each `'#2f54c8'` or `{ light, dark }`. A contrast below 4.5 stops the site from starting. Default: the
   * package's.
   */
  colors: option({
    shape: () => objectOf(colorOptions, "an object of colours, such as { accent: '#2f54c8' }"),
  }),
  /**
   * More CSP sources for your layout: `{ font: ['https://fonts.example'] }`. `'unsafe-inline'` is not possible.
   * Default: none.
   */
  sources: option({
    shape: () =>
      objectOf(sourceOptions, "an object of CSP sources, such as { font: ['https://fonts.example'] }"),
  }),
  /** A folder with views that replace those of the same name: `consent.ejs`, `error.ejs`… Default: none. */
  views: option({ shape: () => z.string(FOLDER).refine((value) => existsSync(value), FOLDER) }),
  /**
   * `(page, req, res) => html`: puts each page into your layout. `page` is `{ content, title, locale, direction,
   * stylesheet, script }`; `content` is HTML, and must be in the result unchanged. Default: `layout.ejs` of `views`, if
   * there is one.
   */
  layout: option({
    shape: () => callback<Layout>('(page, req, res) => html, or a promise of it'),
  }),
};

/** How the pages look and speak. */
export type LookOptions = OptionsOf<typeof lookOptions>;

export const pageRows = {
  ...lookOptions,
  /**
   * Names for trusted or verified clients only, with names that look like one or contain one. `[]`: none. Default: the
   * name and the host of this site.
   */
  reservedNames: option({
    shape: () => listOf(text('a name'), "a list of names, such as ['Lantern Photos']"),
    // a loopback host is not reserved
    resolve: (names, { siteName, issuer: { host, hostname } }) =>
      names ?? [siteName === host ? [] : siteName, isLoopbackHost(hostname) ? [] : hostname].flat(),
  }),
  /**
   * Whether errors and denials of clients that nobody has checked (self-registered, or made by a user) end on a page
   * with a link to the client, instead of a redirect. Default: `false`. (RFC 9700 §4.11.2)
   */
  linkToUnverifiedClients: option({ shape: flag, default: false }),
  /**
   * `({ userId, clientId, text }, req) => …`: gets a user's report of an application, ten in an hour at most. `text` is
   * plain text of at most 1,000 characters: escape it. If it throws, the user can try again. Default: nobody can report
   * one.
   */
  onReport: option({
    shape: () =>
      callback<(report: AppReport, req: Request) => unknown>(
        '({ userId, clientId, text }) => mail(support, text)',
      ),
  }),
};

/** The pages: how they look, and what is on them. */
export type PagesOptions = OptionsOf<typeof pageRows>;

/** Pages. */
export const pageOptions = {
  /** How the pages look and speak: `{ logo: '/logo.svg' }`. */
  pages: group(pageRows, "{ logo: '/logo.svg' }"),
};
