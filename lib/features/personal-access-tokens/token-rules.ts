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
 * The rules of the consent page, adapted to a token: all scopes are optional, the form sets the lifetime, and a service
 * token has no choices because it acts for no user.
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
      [...(authorizationDetails ?? [])].map(([name, type]) => [name, { ...type, optional: true }]),
    ),
  };
}

const MAX_NAME = 100;
const MAX_PURPOSE = 500;

/** The problem with a token's name; otherwise undefined. The page shows the name beside the site's texts. */
export function findNameProblem(name: string): MessageKey | undefined {
  if (name === '') return 'tokens.nameMissing';
  if (name.length > MAX_NAME) return 'tokens.nameLong';
  return hasUnseenCharacters(name) || hasStackedMarks(name) || !hasSomethingToRead(name)
    ? 'tokens.nameUnseen'
    : undefined;
}

/** The problem with the optional purpose, which may have several lines; otherwise undefined. */
export function findPurposeProblem(purpose: string): MessageKey | undefined {
  if (purpose.length > MAX_PURPOSE) return 'tokens.purposeLong';
  return hasUnseenCharacters(purpose.replaceAll('\n', ' ')) || hasStackedMarks(purpose)
    ? 'tokens.purposeUnseen'
    : undefined;
}

/** Why an end is refused. */
export type ExpiryProblem = 'past' | 'late' | 'never';

/** Maximum lifetime in seconds that the form offers, even if the options set none: nobody renews a token later. */
export function findMaxLifetime({ kind, options }: ExpiryRules): number {
  return kind === 'service' || options.maxTtl === false ? 5 * 365 * 86_400 : options.maxTtl;
}

export interface ExpiryRules {
  readonly kind: NamedTokenKind;
  readonly options: PersonalAccessTokenSettings;
  readonly now: Date;
}

/**
 * The end of a token, from a date or a number of seconds; `null` means no end. `maxTtl` limits personal tokens, not
 * service tokens.
 */
export function findExpiry(
  desired: Date | number | null | undefined,
  { kind, options: { ttl, maxTtl }, now }: ExpiryRules,
): Date | ExpiryProblem {
  if (desired === null) return kind === 'service' || maxTtl === false ? NO_EXPIRY : 'never';
  if (desired === undefined && kind === 'service') return NO_EXPIRY;
  const end = desired instanceof Date ? desired : addSeconds(now, desired ?? ttl);
  // also refuses an invalid date, from too many seconds
  if (!(end < NO_EXPIRY)) return 'late';
  if (end <= now) return 'past';
  return kind === 'personal' && maxTtl !== false && end > addSeconds(now, maxTtl) ? 'late' : end;
}
