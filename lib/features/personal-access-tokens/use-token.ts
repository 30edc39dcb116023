import { findLostChoice } from '../../core/authorization-details/find-lost-choice.js';
import type { PolicyClient } from '../../core/grants/policy.js';
import { invalidToken } from '../../core/guard/verify-access-token.js';
import { createStoredLater } from '../../core/observability/stored-later.js';
import type { FeatureParts, NamedTokens } from '../../server/server.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { OAuthError } from '../../shared/errors.js';
import { createFailureLimit } from '../../shared/limits/failure-limit.js';
import { createCache } from '../../shared/lru-cache.js';

/** Tokens whose day is known to be stored, and those that wait: more are noted at their next use. */
const MAX_KNOWN = 10_000;
const MAX_WAITING = 1000;
/** Milliseconds that a use waits to be stored. */
const INTERVAL = 300_000;
const DAY = 86_400_000;
/** Seconds. */
const HOUR = 3600;

/**
 * Such a token lives long and is never refreshed, so each use asks what a refresh asks: the hook `policy.onRefresh`, and
 * `holds` of what was picked. Without these hooks nothing is asked, and the database is never.
 *
 * The day on which a token was last used, and the address from which, are stored beside the requests, as the days of
 * client secrets are: one command for each token, day and process. No call waits for one, and none fails by it.
 */
export function createNamedTokens({ settings, models, policy, emit }: FeatureParts): NamedTokens {
  const { grants, reportChange } = models;
  const { callsPerHour } = switchedOn(settings.personalAccessTokens, 'personalAccessTokens');
  // in the memory of this process: a count for all of them would cost each call a command
  const calls = createFailureLimit(
    callsPerHour !== undefined && { failures: callsPerHour, window: HOUR, counted: 'calls' },
  );
  const known = createCache<Date>({ size: MAX_KNOWN });
  const later = createStoredLater<{
    readonly grantId: string;
    readonly day: Date;
    readonly address: string | undefined;
  }>({
    interval: INTERVAL,
    store: ({ grantId, ...use }) => grants.noteNamedTokenUse(grantId, use),
    onLost: ({ grantId }) => void known.delete(grantId),
    onError: settings.onError,
    failure: { endpoint: 'guard', detail: 'the day on which a token was last used could not be stored' },
  });

  return {
    async use(grant, { scopes: granted, origin, isRecheck = false, now }) {
      const { grantId, clientId, grantType, namedToken, authorization } = grant;
      const { userId, resources, authorizationDetails } = authorization;
      if (!isRecheck) await calls.consume(grantId);

      // what was picked for it may not be the user's to give any more
      const lost = await findLostChoice(grant, settings);
      if (lost !== undefined) {
        const data = { grantId, clientId, userId, scopes: authorization.scopes };
        await reportChange({ type: 'grant.revoked', ...data, reason: 'choice_lost' }, { now, emit }, () =>
          grants.revokeNamedToken(grantId, undefined, now),
        );
        throw invalidToken(`the choice ${lost} does not hold any more`);
      }

      const client = policyClientOf(clientId, namedToken?.name);
      const token = { client, userId, scopes: granted, resources, authorizationDetails, grantType };
      const scopes = await policy.use({ ...token, now }).catch((error: unknown) => {
        // RFC 6750 §3.1: the error of a resource server; what failed on the site's side stays a failure
        throw error instanceof OAuthError && error.reason === 'refused_by_policy'
          ? invalidToken(error.detail ?? error.description, error)
          : error;
      });

      if (!isRecheck) {
        // a token that the site checks by `verify` comes with no request
        const address = origin.ip === '' ? undefined : origin.ip;
        const day = new Date(Math.floor(now.getTime() / DAY) * DAY);
        const waiting = later.waiting.get(grantId);
        const stored = known.get(grantId) ?? namedToken?.lastUsedOn;
        const isNews =
          waiting === undefined
            ? later.waiting.size < MAX_WAITING && (stored === undefined || stored < day)
            : address !== undefined && waiting.address !== address;
        if (isNews) {
          known.set(grantId, day);
          later.set(grantId, { grantId, day, address });
        }
      }
      // a scope that the site has taken out of its options is gone for such tokens, too
      return scopes.filter((scope) => Object.hasOwn(settings.scopes, scope));
    },
    async flush(grantIds) {
      const isWaiting = grantIds.some((grantId) => later.waiting.has(grantId));
      await later.flush(({ grantId }) => grantIds.includes(grantId));
      return isWaiting;
    },
    close: later.close,
  };
}

/** How the hooks of `policy` see such a token: a client that nobody has registered, with the token's name. */
export function policyClientOf(clientId: string, name = clientId): PolicyClient {
  return { clientId, name, type: 'confidential', trusted: false, verified: false };
}
