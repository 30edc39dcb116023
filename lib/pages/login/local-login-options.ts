import type { Authenticator, Strategy } from 'passport';

import type { OAuthEvents } from '../../core/observability/events.js';
import type { SessionRegistry } from '../../core/openid/session-registry.js';
import { peopleRows } from '../../settings/options/people-options.js';
import { securityRows } from '../../settings/options/security-options.js';
import { placeOptions } from '../../settings/options/site-options.js';
import { address, loginPageRows } from '../../settings/pages/page-options.js';
import {
  defaultsOf,
  group,
  objectOf,
  option,
  type OptionsOf,
  required,
  type SettingsOf,
} from '../../settings/table/option.js';
import { callback, count, falseOr, text, textLike, withMethods } from '../../settings/table/shapes.js';
import * as z from '../../shared/schema.js';
import type { Users } from '../../storage/other/users.js';
import type { DescribeRequest } from './waiting-request.js';

/** What is used of an instance of Passport: the shared one, or `new Passport()`, whose types differ in `use`. */
export interface HostPassport extends Pick<
  Authenticator,
  'authenticate' | 'serializeUser' | 'deserializeUser'
> {
  use(name: string, strategy: Strategy): unknown;
}

const path = (example: string) =>
  textLike(/^\/(?![/\\])[^?#\s]*$/, `a path on this site, such as '${example}'`);

const linkOptions = {
  /** For users who have forgotten their password. */
  forgot: option({ shape: () => address('/forgot-password') }),
  /** For users without an account. */
  signUp: option({ shape: () => address('/sign-up') }),
};

const ownOptions = {
  /**
   * Your Passport: `import passport from 'passport'`. Give a `new Passport()` if your site uses the strategy `local`
   * for something else.
   */
  passport: required({
    shape: () =>
      withMethods<HostPassport>(
        ['use'],
        "your own instance of Passport; write import passport from 'passport' and localLogin({ passport, … })",
      ),
  }),
  /**
   * What `createUsers` returns, or a store of your own: `verify(username, password, { signal })` and `findById(id)`
   * return a promise of a user with an `id`, or of null.
   */
  users: required({
    shape: () =>
      withMethods<Pick<Users, 'verify' | 'findById'> & Partial<Pick<Users, 'failures' | 'connection'>>>(
        ['verify', 'findById'],
        'an object with verify and findById; write users: createUsers(mongoose.connection)',
      ),
  }),
  /** Path of the login page. Default: `/login`. */
  path: option({ shape: () => path('/login'), default: '/login' }),
  /** Path of the logout page. Default: `/logout`. */
  logoutPath: option({ shape: () => path('/logout'), default: '/logout' }),
  /** What a proxy or a mount puts before both paths in the browser. Default: nothing. */
  publicBasePath: option({
    shape: () => textLike(/^(\/(?![/\\])[^?#\s]*)?$/, "a path on this site, such as '/account', or ''"),
    default: '',
  }),
  /** Query parameter with the path to return to, as in `login` of the authorization server. Default: `return_to`. */
  returnParameter: option({
    shape: () => text("the name of a query parameter, such as 'return_to'"),
    default: 'return_to',
  }),
  /** Where users land after the logout, and after a login without a way back. Default: `/`. */
  home: option({
    shape: () => textLike(/^\/(?![/\\])\S*$/, "a path on this site, such as '/'"),
    default: '/',
  }),
  /**
   * Failed logins per address and user name in 15 minutes; ten times as many per address, and a hundred times as many
   * visits without a session. `false`: no limit. Default: `10`.
   */
  rateLimit: option({
    shape: () => falseOr(count({ example: 10 }), 'false or a number of failed logins, such as 10'),
    default: 10,
  }),
  /** `oauth.events`, which then tells of logins and failed ones. Default: nobody is told. */
  events: option({
    shape: () => withMethods<Pick<OAuthEvents, 'emit'>>(['emit'], 'the events of the server: oauth.events'),
  }),
  /**
   * `oauth.describeRequest`, so that the page names the client. Default: that of the authorization server on the
   * connection of `users`.
   */
  describeRequest: option({ shape: () => callback<DescribeRequest>('oauth.describeRequest') }),
  /**
   * `oauth.sessions`, so that clients with a `backchannelLogoutUri` hear of a logout here. It works only without an
   * option `people.id`. Default: nobody is told.
   */
  sessions: option({
    shape: () =>
      withMethods<Pick<SessionRegistry, 'end'>>(['end'], 'the sessions of the server: oauth.sessions'),
  }),
  /** Links below the form: paths on this site, or https: URLs. Default: none. */
  links: option({
    shape: () => objectOf(linkOptions, "an object of links, such as { forgot: '/forgot-password' }"),
    default: defaultsOf(linkOptions),
  }),
  /** What the pages call this site. Default: nothing. */
  siteName: option({ shape: () => z.string("text, such as 'Lantern Photos'"), default: '' }),
};

const peopleOptions = {
  /** What tells two users of one name apart. Default: none. */
  detail: peopleRows.detail,
};
const securityOptions = {
  /** Allows requests without TLS. Default: `false`. */
  dangerouslyAllowInsecureHttp: securityRows.dangerouslyAllowInsecureHttp,
};

const sharedOptions = {
  /** How the pages look: `{ logo: '/logo.svg' }`. */
  pages: group(loginPageRows, "{ logo: '/logo.svg' }"),
  /** What your site knows of users, as at the authorization server. */
  people: group(peopleOptions, '{ detail: (user) => user.email }'),
  /** What is demanded of requests. */
  security: group(securityOptions, '{ dangerouslyAllowInsecureHttp: true }'),
};

type Rows = typeof ownOptions & typeof sharedOptions & Pick<typeof placeOptions, 'onError'>;

/** Each option of `localLogin`, once; what it shares with `authorizationServer` is a row there. */
export const localLoginOptions: Rows = {
  ...ownOptions,
  ...sharedOptions,
  onError: placeOptions.onError,
};

/** The options of `localLogin`. */
export type LocalLoginOptions = OptionsOf<Rows>;
/** The options with their defaults. */
export type LocalLoginSettings = SettingsOf<Rows>;
