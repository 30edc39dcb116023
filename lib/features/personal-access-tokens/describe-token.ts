import { describeScope } from '../../pages/consent/describe-scopes.js';
import type { DisplayTime, Translator } from '../../pages/rendering/translator.js';
import type { Settings } from '../../settings/settings.js';
import type { PersonalAccessToken } from './token-info.js';

/** When a token was made, was last used and ends, as the pages say it. */
export interface TokenTimes {
  readonly made: DisplayTime;
  /** Absent if it does not expire. */
  readonly expires: DisplayTime | undefined;
  readonly used: DisplayTime | undefined;
  readonly usedFrom: string | undefined;
}

export function timesOf(
  { createdAt, expiresAt, lastUsedOn, lastUsedFrom }: PersonalAccessToken,
  { day }: Translator,
): TokenTimes {
  return {
    made: day(createdAt),
    expires: expiresAt === null ? undefined : day(expiresAt),
    used: lastUsedOn && day(lastUsedOn),
    usedFrom: lastUsedFrom,
  };
}

/** A token in a list. */
export function describeToken(
  token: PersonalAccessToken,
  {
    settings,
    href,
    translator,
  }: { readonly settings: Settings; readonly href: string; readonly translator: Translator },
) {
  return {
    id: token.id,
    href,
    name: token.name,
    isService: token.kind === 'service',
    blocked: token.blocked && { ...token.blocked, since: translator.moment(token.blocked.at) },
    purpose: token.purpose,
    scopes: token.scopes.map((scope) => describeScope(settings.scopes, scope, translator.locale)),
    resource: token.resource && (settings.resources.get(token.resource)?.name ?? token.resource),
    ...timesOf(token, translator),
  };
}
