import type { NamedTokenKind } from '../../core/grants/named-token.js';
import type { MessageKey } from '../../messages/index.js';
import type { Settings } from '../../settings/settings.js';
import { addSeconds } from '../../shared/date.js';
import {
  hasSomethingToRead,
  hasStackedMarks,
  hasUnseenCharacters,
} from '../../shared/protocol/display-name.js';
import type { PersonalAccessTokenSettings } from './options.js';
import { NO_EXPIRY } from './token-info.js';

/**
 * The rules of the consent page as they are for a token: its maker needs none of the scopes, chooses its end beside the
 * other choices, and a service token, which acts for nobody, has no choices of a person.
 */
export function rulesFor(kind: NamedTokenKind, settings: Settings): Settings {
  const { scopes, choices, authorizationDetails } = settings;
  const requested = [...choices].filter(([, { lifetime }]) => kind === 'personal' && lifetime === undefined);
  return {
    ...settings,
    scopes: Object.fromEntries(
      Object.entries(scopes).map(([name, scope]) => [name, { ...scope, optional: true }]),
    ),
    choices: new Map(requested),
    authorizationDetails: new Map(
      [...authorizationDetails].map(([name, type]) => [name, { ...type, optional: true }]),
    ),
  };
}

const MAX_NAME = 100;
const MAX_PURPOSE = 500;

/** What is wrong with the name of a token; undefined if nothing is. Its maker reads it beside the site's own words. */
export function findNameProblem(name: string): MessageKey | undefined {
  if (name === '') return 'tokens.nameMissing';
  if (name.length > MAX_NAME) return 'tokens.nameLong';
  return hasUnseenCharacters(name) || hasStackedMarks(name) || !hasSomethingToRead(name)
    ? 'tokens.nameUnseen'
    : undefined;
}

/** The same for what a token is for, which may be left out and may have several lines. */
export function findPurposeProblem(purpose: string): MessageKey | undefined {
  if (purpose.length > MAX_PURPOSE) return 'tokens.purposeLong';
  return hasUnseenCharacters(purpose.replaceAll('\n', ' ')) || hasStackedMarks(purpose)
    ? 'tokens.purposeUnseen'
    : undefined;
}

/** Why a token cannot end then. */
export type ExpiryProblem = 'past' | 'late' | 'never';

/** Seconds that a form offers at most to a token with an end. A date further away is one that nobody renews. */
export function longestOf({ kind, options }: ExpiryRules): number {
  return kind === 'service' || options.maxTtl === false ? 5 * 365 * 86_400 : options.maxTtl;
}

export interface ExpiryRules {
  readonly kind: NamedTokenKind;
  readonly options: PersonalAccessTokenSettings;
  readonly now: Date;
}

/**
 * When a token ends that is to end at a date or in so many seconds; `null` asks for no end. A personal one ends within
 * `maxTtl`; a service token lives as long as its owners want.
 */
export function findExpiry(
  desired: Date | number | null | undefined,
  { kind, options: { ttl, maxTtl }, now }: ExpiryRules,
): Date | ExpiryProblem {
  if (desired === null) return kind === 'service' || maxTtl === false ? NO_EXPIRY : 'never';
  if (desired === undefined && kind === 'service') return NO_EXPIRY;
  const end = desired instanceof Date ? desired : addSeconds(now, desired ?? ttl);
  // too late for a date at all, too
  if (!(end < NO_EXPIRY)) return 'late';
  if (end <= now) return 'past';
  return kind === 'personal' && maxTtl !== false && end > addSeconds(now, maxTtl) ? 'late' : end;
}
