import { z } from 'zod';

import { givenChoices, givenDetails } from '../../core/grants/programmatic-binding.js';
import { rotationOverlap } from '../../settings/features/personal-access-token-options.js';
import { option, type OptionsOf, required } from '../../settings/table/option.js';
import { listOf, seconds, text } from '../../settings/table/shapes.js';

const DAY = 86_400;

const date = () =>
  z.custom<Date>(
    (value) => value instanceof Date && !Number.isNaN(value.getTime()),
    "a Date, such as new Date('2027-01-31')",
  );
const expiry = () => z.union([z.null(), date()], 'a Date, or null for a token that does not expire');
const span = () => seconds({ example: 30 * DAY });

export const newTokenOptions = {
  /**
   * The id of the user for whom the token acts, as the option `people.id` returns it. Either this or `owners`.
   */
  userId: option({ shape: () => text('the id of a user, as text') }),
  /**
   * The users who look after a service token, which acts for nobody. They find it on their page, and each of them can
   * replace, narrow and end it. Either this or `userId`.
   */
  owners: option({
    shape: () =>
      listOf(text('the id of a user, as text'), "a list of ids: ['ada', 'grace']", { isNeeded: true }),
  }),
  /** What the token is called on the page, at most 100 characters. */
  name: required({ shape: () => text("a name, such as 'Nightly backup'") }),
  /** What it is for, at most 500 characters. Default: nothing. */
  purpose: option({ shape: () => text("a text, such as 'copies the album to the archive'") }),
  /** The scopes, at least one of the option `personalAccessTokens.scopes`. */
  scopes: required({
    shape: () => listOf(text('a scope, as text'), "a list of scopes: ['photos:read']", { isNeeded: true }),
  }),
  /** The resource that the token is for, one of the option `resources`. Default: the site's own API. (RFC 8707) */
  resource: option({ shape: () => text('the identifier of a resource, as text') }),
  /** What is allowed beside scopes. Default: nothing. (RFC 9396) */
  authorizationDetails: option({ shape: givenDetails }),
  /**
   * What the user would pick on the page, by the names of the option `choices`: `{ workspace: 'atelier' }`. The
   * server does not call `list` to check it. A service token has none. Default: none.
   */
  choices: option({ shape: givenChoices }),
  /** Seconds that it lives. Default: the option `personalAccessTokens.ttl`; a service token does not expire. */
  expiresIn: option({ shape: span }),
  /** When it ends, in the place of `expiresIn`. Null: it does not expire, if the options allow that. */
  expiresAt: option({ shape: expiry }),
};
export type NewPersonalAccessToken = OptionsOf<typeof newTokenOptions>;

export const whoseTokensOptions = {
  /** The tokens that act for this user. */
  userId: option({ shape: () => text('the id of a user, as text') }),
  /** The service tokens that this user looks after. */
  ownerId: option({ shape: () => text('the id of a user, as text') }),
};
/** One of the two. */
export type WhosePersonalAccessTokens =
  | { readonly userId: string; readonly ownerId?: never }
  | { readonly ownerId: string; readonly userId?: never };

export const blockOptions = {
  /** What its user, or those who look after it, read. Default: nothing. */
  reason: option({ shape: () => text("a text, such as 'it calls too often'") }),
};
export type BlockTokenOptions = OptionsOf<typeof blockOptions>;

export const rotationOptions = {
  /** Seconds that the former value stays valid. Default: the option `personalAccessTokens.rotationOverlap`. */
  overlap: option({ shape: rotationOverlap }),
  /** Seconds that the new value lives. Default: as long as the former one was to live. */
  expiresIn: option({ shape: span }),
  /** When it ends, in the place of `expiresIn`. Null: it does not expire, if the options allow that. */
  expiresAt: option({ shape: expiry }),
};
export type TokenRotationOptions = OptionsOf<typeof rotationOptions>;
