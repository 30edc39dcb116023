import type { Authenticator, Strategy } from 'passport';

import { address } from '../../settings/pages/page-options.js';
import {
  defaultsOf,
  objectOf,
  option,
  type OptionsOf,
  required,
  type SettingsOf,
} from '../../settings/table/option.js';
import { textLike, withMethods } from '../../settings/table/shapes.js';
import type { Users } from '../../storage/other/users.js';
import type { LoginServices } from './servers-by-connection.js';

/** The used members of a Passport: of the shared one, or of `new Passport()`, whose types of `use` differ. */
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

/** The options of `localLogin`. */
export const localLoginOptions = {
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
  /**
   * What `authorizationServer` returns: the page looks, counts failed logins and names the site, its users and the
   * waiting client by its options, its events tell of logins, and its clients with a `backchannelLogoutUri` hear of a
   * logout. Default: the server on the connection of `users`, if they are of `createUsers`.
   */
  oauth: option({
    shape: () =>
      withMethods<Pick<LoginServices, 'describeRequest'>>(
        ['describeRequest'],
        'what authorizationServer returns; write localLogin({ passport, users, oauth })',
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
  /** Links below the form: paths on this site, or https: URLs. Default: none. */
  links: option({
    shape: () => objectOf(linkOptions, "an object of links, such as { forgot: '/forgot-password' }"),
    default: defaultsOf(linkOptions),
  }),
};

/** The options of `localLogin`. */
export type LocalLoginOptions = OptionsOf<typeof localLoginOptions>;
/** The options with their defaults. */
export type LocalLoginSettings = SettingsOf<typeof localLoginOptions>;
