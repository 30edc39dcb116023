import type { Connection } from 'mongoose';

import * as z from '../../shared/schema.js';
import { objectOf, option, type OptionsOf, required, type SettingsOf } from '../table/option.js';
import { callback, flag, listOf, localizedText, oneOf, recordOf, text, textLike } from '../table/shapes.js';
import { type FindLogin, loginPage, type LoginSettings, resolveLogin } from './login-options.js';
import type { OnError } from './on-error.js';

const scopeOptions = {
  /**
   * In words a user understands, in one language or by language: `{ en: 'See your photos', de: 'Ihre Fotos
   * sehen' }`.
   */
  description: required({ shape: () => localizedText('description', 'See your photos') }),
  /** Whether a user may leave it out and still allow the rest. Default: `true`. */
  optional: option({ shape: flag, default: true }),
  /** A sentence or two more on the consent page; by language as well. Default: none. */
  details: option({ shape: () => localizedText('text', 'Up to 50 € a month.') }),
  /**
   * The heading under which the consent page puts it; by language as well. From eight scopes on, groups are folded.
   * Default: none.
   */
  group: option({ shape: () => localizedText('text', 'Payments') }),
  /**
   * `high` for what can do harm: it comes first, is marked and never ticked in advance, and for an unverified client
   * has a page of its own. Default: `normal`, or `high` if a scope that it implies is `high`.
   */
  risk: option({ shape: () => oneOf(['normal', 'high']), default: 'normal' }),
  /**
   * The scopes that it includes: `['photos:read']` for `photos:write`. Routes that need these accept its tokens, and
   * the consent page says so. Default: none.
   */
  implies: option({
    shape: () => listOf(text('a scope'), "a list of scopes, such as ['photos:read']"),
    default: [],
  }),
};

/** A scope with more than a description. */
export type ScopeOptions = OptionsOf<typeof scopeOptions>;
/** The scope with its defaults. */
export type ScopeSettings = SettingsOf<typeof scopeOptions>;

/** The site: its address, its database and its scopes. */
export const siteOptions = {
  /**
   * The public URL of the authorization server, without a slash at its end: `https://photos.example`. `http:` is for
   * loopback only. (RFC 8414 §2, RFC 9207)
   */
  issuer: required({ shape: () => text('the public URL of this site, such as https://photos.example') }),
  /**
   * Your Mongoose connection, such as `mongoose.connection`. Each issuer needs a database of its own:
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
    // a connection from a URI may contain a password
    secret: true,
  }),
  /**
   * What a client may ask for, in words a user understands: `{ 'photos:read': 'See your photos' }`, or `{
   * 'cards:charge': { description: 'Charge your card', risk: 'high' } }`.
   */
  scopes: required({
    shape: () =>
      recordOf(
        z.union(
          [
            text('a description that a user understands'),
            objectOf(scopeOptions, 'an object of description, details, group, risk, optional and implies'),
          ],
          'a description that a user understands, or { description, details, group, risk, optional, implies }',
        ),
        "an object of scope and description, such as { 'photos:read': 'See your photos' }",
      ),
  }),
  /**
   * Your login page: its path (`/login`) or its URL on another origin, which get the path to return to as `return_to`
   * (another origin: the whole URL), or a function `(req, returnTo, hints) => address`; `hints` has the `login_hint`,
   * `ui_locales` and `acr_values` of the request.
   */
  login: required({
    shape: () =>
      z.union(
        [
          loginPage(),
          callback<FindLogin>('(req, returnTo) => `/login?next=${encodeURIComponent(returnTo)}`'),
        ],
        "a path on this site, that of your login page, such as '/login'; or an https: URL of yours, or (req, returnTo) => address",
      ),
    resolve: (login, context): LoginSettings => resolveLogin(login, context),
  }),
  /** What the pages call this site. Default: the issuer's host. */
  siteName: option({
    shape: () => text("text that is not empty, such as 'Lantern Photos'"),
    resolve: (_given, { siteName }) => siteName,
  }),
};

/** The mount path, and error reports. */
export const placeOptions = {
  /** Where the endpoints lie below the issuer; `/` is its root. Default: `/oauth`. */
  basePath: option({
    // some characters in a path are special in Express
    shape: () =>
      textLike(
        /^(\/[A-Za-z0-9._~-]+)+$|^\/$/,
        'a path such as /oauth, of letters, digits and -._~, without / at its end; / alone is the root',
      ),
    default: '/oauth',
  }),
  /**
   * `(error, { requestId, endpoint, req }) => void`: called for every error, whose `detail` has the private reason.
   * Default: writes server errors (5xx) to `console.error`.
   */
  onError: option({
    shape: () => callback<OnError>('(error, { requestId, endpoint, req }) => log(error)'),
  }),
};
