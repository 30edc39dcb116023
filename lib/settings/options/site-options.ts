import type { Request } from 'express';
import type { Connection } from 'mongoose';
import { z } from 'zod';

import { GROUP_ICONS } from '../pages/group-icons.js';
import { objectOf, option, type OptionsOf, required, type SettingsOf } from '../table/option.js';
import {
  callback,
  flag,
  listOf,
  localizedText,
  milliseconds,
  oneOf,
  recordOf,
  seconds,
  text,
  textLike,
  union,
} from '../table/shapes.js';
import { type FindLogin, loginPage, loginPageOptions } from './login-options.js';
import type { OnError } from './on-error.js';

const ICON_NAMES = Object.keys(GROUP_ICONS);
const ICON_SHAPE = `${ICON_NAMES.join(', ')}, or the path of a picture on this site, such as '/icons/card.svg'`;
const groupIcon = () => {
  // safe in an attribute, and only a path: the page loads no pictures from other sites
  const path = /^\/(?![/\\])[^\s"'<>\\;,]*$/;
  return z.string(ICON_SHAPE).refine((value) => ICON_NAMES.includes(value) || path.test(value), ICON_SHAPE);
};

const scopeOptions = {
  /**
   * In words a person understands, in one language or by language: `{ en: 'See your photos', de: 'Ihre Fotos
   * sehen' }`.
   */
  description: required({ shape: () => localizedText('description', 'See your photos') }),
  /** Whether a person may leave it out and still allow the rest. Default: `true`. (RFC 6749 §3.3) */
  optional: option({ shape: flag, default: true }),
  /** A sentence or two more, below the description on the consent page; by language as well. Default: none. */
  details: option({ shape: () => localizedText('text', 'Up to 50 € a month.') }),
  /**
   * The heading under which the consent page puts it, with the others of that group; by language as well. From eight
   * scopes on, each group is folded and shows its number of scopes. Default: none.
   */
  group: option({ shape: () => localizedText('text', 'Payments') }),
  /**
   * The picture beside that heading, from the first scope in the group that has one: `bell`, `calendar`, `card`,
   * `chart`, `chat`, `file`, `globe`, `heart`, `key`, `mail`, `music`, `people`, `person`, `picture`, `place`,
   * `settings` or `shop`, or the path of a picture on this site, square. It should say nothing that the heading does
   * not. Default: none.
   */
  icon: option({ shape: groupIcon }),
  /**
   * `normal`, or `high` for what can do harm: such a scope comes first, is marked, and is never ticked in advance. If
   * the client is not verified, the person confirms it on a page of its own. Default: `normal`, or `high` if it
   * includes one that is.
   */
  risk: option({ shape: () => oneOf(['normal', 'high']), default: 'normal' }),
  /**
   * The scopes that it includes: `['photos:read']` for `photos:write`. Routes that need one of these let its tokens in,
   * and the consent page says so. Requests, grants and tokens name only what was asked for and allowed. Default: none.
   */
  implies: option({
    shape: () => listOf(text('a scope'), "a list of scopes, such as ['photos:read']"),
    default: [],
  }),
};

/** A scope with more than a description. */
export type ScopeOptions = OptionsOf<typeof scopeOptions>;
/** The same, with the defaults. */
export type ScopeSettings = SettingsOf<typeof scopeOptions>;

/** The site: where it is, what it keeps, and what may be asked of it. */
export const siteOptions = {
  /**
   * The one public URL of the authorization server, without a slash at its end: `https://photos.example`.
   * `http:` is for loopback only. Never guessed from the `Host` header. (RFC 8414 §2, RFC 9207)
   */
  issuer: required({ shape: () => text('the public URL of this site, such as https://photos.example') }),
  /**
   * The host's own Mongoose connection: `mongoose.connection` or what `mongoose.createConnection()` gives. A database
   * serves one issuer, in as many processes as you like; another issuer needs its own,
   * `connection.useDb('another_name')`.
   */
  connection: required({
    shape: () =>
      z.custom<Connection>(
        (value) =>
          typeof (value as Partial<Connection> | null)?.model === 'function' &&
          typeof (value as Connection).readyState === 'number',
        'a Mongoose connection; write mongoose.connection, or what mongoose.createConnection() gives',
      ),
    // where a URI was given, it may hold a password
    secret: true,
  }),
  /**
   * What a client may ask for, in words a person understands: `{ 'photos:read': 'See your photos' }`, or with more:
   * `{ 'cards:charge': { description: 'Charge your card', risk: 'high', group: 'Payments' } }`. (RFC 6749 §3.3)
   */
  scopes: required({
    shape: () =>
      recordOf(
        union(
          text('a description that a person understands'),
          objectOf(
            scopeOptions,
            'an object of description, details, group, icon, risk, optional and implies',
          ),
          'a description that a person understands, or { description, details, group, icon, risk, optional, implies }',
        ),
        "an object of scope and description, such as { 'photos:read': 'See your photos' }",
      ),
  }),
  /**
   * The host's login page: its path (`/login`), its URL if it is on another origin (`https://account.example/login`),
   * path and name of the return parameter, or a function that gives either, `(req, returnTo, hints) => address`:
   * `returnTo` is the path to return to, and `hints` has `login_hint` and `ui_locales` if the client has sent them.
   */
  login: required({
    shape: () =>
      union(
        union(
          loginPage(),
          objectOf(loginPageOptions, 'an object of path and returnParameter'),
          "a path on this site, that of your login page, such as '/login'",
        ),
        callback<FindLogin>('(req, returnTo) => `/login?next=${encodeURIComponent(returnTo)}`'),
        "a path on this site, that of your login page, such as '/login'; or an https: URL of yours, or (req, returnTo) => address",
      ),
  }),
  /**
   * Whether people get back to what waited for their login, even if your login ignores the return parameter. A cookie
   * of ours keeps their way back for ten minutes, and only to pages of this server; `router` sends them there from the
   * first page that they open once they are logged in. Default: `true`.
   */
  resumeAfterLogin: option({ shape: flag, default: true }),
  /**
   * `(req) => boolean`: whether the person in `req.user` has finished the login, a second factor included:
   * `(req) => req.session.secondFactor === true`. Only `true` counts. Default: everyone in `req.user` is.
   */
  isLoggedIn: option({
    shape: () => callback<(req: Request) => boolean>('(req) => req.session.secondFactor === true'),
    default: () => true,
  }),
  /** Where the endpoints lie below the issuer; `/` is its root. Default: `/oauth`. */
  basePath: option({
    // Express gives some characters of a path a meaning of their own
    shape: () =>
      textLike(
        /^(\/[A-Za-z0-9._~-]+)+$|^\/$/,
        'a path such as /oauth, of letters, digits and -._~, without / at its end; / alone is the root',
      ),
    default: '/oauth',
  }),
  /**
   * Where single endpoints lie below the issuer, by their names: `{ authorize: '/authorize', token: '/token' }`.
   * Default: each below `basePath`, by its name.
   */
  paths: option({
    shape: () =>
      recordOf(
        textLike(/^(\/[A-Za-z0-9._~-]+)+$/, 'a path such as /token, of letters, digits and -._~'),
        "an object of paths by endpoint, such as { token: '/token' }",
      ),
    default: {},
  }),
  /**
   * Milliseconds that a database command may take; beyond that the answer is 503. At most half of them go to waiting
   * for its turn and for a connection. Default: `5000`.
   */
  databaseTimeout: option({ shape: () => milliseconds({ example: 5000 }), default: 5000 }),
  /**
   * Seconds that a process remembers a client for requests about grants that exist (a refresh token, introspection,
   * revocation, a device that waits). A change by another process is known after that time at the latest, and at once
   * if MongoDB has change streams (a replica set or a sharded cluster). Requests that make a new grant or redeem a code
   * read the client each time. `0`: nothing is remembered. Default: `5`.
   */
  clientCacheTtl: option({
    shape: () =>
      seconds({
        min: 0,
        max: 60,
        because: ': so long a deleted client may be taken for one that is there',
        example: 5,
      }),
    default: 5,
  }),
  /** Allows an `http:` issuer that is not loopback, and requests without TLS. Default: `false`. */
  dangerouslyAllowInsecureHttp: option({ shape: flag, default: false }),
  /**
   * `(error, { requestId, endpoint, req }) => void`: told of every error with its private reason. Default: writes
   * those of the server (5xx) to `console.error`; of 503 with the same endpoint, detail and kind of cause one line,
   * and one with a count at the end of the minute.
   */
  onError: option({
    shape: () => callback<OnError>('(error, { requestId, endpoint, req }) => log(error)'),
  }),
};
