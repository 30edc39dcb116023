import { uncheckedChoices, uncheckedDetails } from '../../core/grants/programmatic-grants.js';
import { option, type OptionsOf, required } from '../../settings/table/option.js';
import { listOf, seconds, text } from '../../settings/table/shapes.js';
import * as z from '../../shared/schema.js';
import { DEFAULT_OVERLAP, MAX_OVERLAP } from './options.js';

const DAY = 86_400;

const span = () =>
  z.union(
    [seconds({ example: 30 * DAY }), z.literal(null, '')],
    'a number of seconds, or null for a token that does not expire',
  );

export const newTokenOptions = {
  /** The user for whom the token acts, by the id that `people.id` gives. Give this or `owners`. */
  userId: option({ shape: () => text('the id of a user, as text') }),
  /**
   * The users who own a service token, which acts for no user. Each can replace, narrow and end it. Give this or
   * `userId`.
   */
  owners: option({
    shape: () =>
      listOf(text('the id of a user, as text'), "a list of ids: ['ada', 'grace']", { isNeeded: true }),
  }),
  /** Its name on the page, at most 100 characters. */
  name: required({ shape: () => text("a name, such as 'Nightly backup'") }),
  /** What it is for, at most 500 characters. Default: nothing. */
  purpose: option({ shape: () => text("a text, such as 'copies the album to the archive'") }),
  /** The scopes, at least one of the option `personalAccessTokens.scopes`. */
  scopes: required({
    shape: () => listOf(text('a scope, as text'), "a list of scopes: ['photos:read']", { isNeeded: true }),
  }),
  /** The resource that the token is for, one of the option `resources`. Default: the site's API. (RFC 8707) */
  resource: option({ shape: () => text('the identifier of a resource, as text') }),
  /** What is allowed beside scopes. Default: nothing. (RFC 9396) */
  authorizationDetails: option({ shape: uncheckedDetails }),
  /**
   * What the user would pick on the page: `{ workspace: 'atelier' }`. The server does not look it up in the list.
   * Default: none.
   */
  choices: option({ shape: uncheckedChoices }),
  /**
   * Seconds that it lives, or null for no end, if the options allow that. Default: the option
   * `personalAccessTokens.ttl`, or no end for a service token.
   */
  expiresIn: option({ shape: span }),
};
export type NewPersonalAccessToken = OptionsOf<typeof newTokenOptions>;

export const whoseTokensOptions = {
  /** Tokens that act for this user. */
  userId: option({ shape: () => text('the id of a user, as text') }),
  /** Service tokens that this user owns. */
  ownerId: option({ shape: () => text('the id of a user, as text') }),
};
/** Exactly one member. */
export type WhosePersonalAccessTokens =
  | { readonly userId: string; readonly ownerId?: never }
  | { readonly ownerId: string; readonly userId?: never };

export const blockOptions = {
  /** The reason for its user or owners. Default: none. */
  reason: option({ shape: () => text("a text, such as 'it calls too often'") }),
};
export type BlockTokenOptions = OptionsOf<typeof blockOptions>;

export const rotationOptions = {
  /** Seconds that the previous value stays valid. Default: a day. */
  overlap: option({
    shape: () => seconds({ min: 0, max: MAX_OVERLAP, example: DAY }),
    default: DEFAULT_OVERLAP,
  }),
  /** Seconds that the new value lives, or null as for `create`. Default: the lifetime of the previous value. */
  expiresIn: option({ shape: span }),
};
export type TokenRotationOptions = OptionsOf<typeof rotationOptions>;
