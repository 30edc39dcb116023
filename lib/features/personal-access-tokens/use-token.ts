import { findLostChoice } from '../../core/authorization-details/find-lost-choice.js';
import type { PolicyClient } from '../../core/grants/policy.js';
import { invalidToken } from '../../core/guard/verify-access-token.js';
import { createStoredLater } from '../../core/observability/stored-later.js';
import type { FeatureParts, NamedTokens } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { OAuthError } from '../../shared/errors.js';
import { createFailureLimit } from '../../shared/limits/failure-limit.js';
import { createCache } from '../../shared/lru-cache.js';

/** The most tokens whose stored day is cached, and the most waiting uses; further uses are recorded the next time. */
const MAX_KNOWN = 10_000;
const MAX_WAITING = 1000;
/** Milliseconds until a recorded use is stored. */
const INTERVAL = 300_000;
const DAY = 86_400_000;
/** Seconds. */
const HOUR = 3600;

/**
 * Such a token is never refreshed, so each use runs the checks of a refresh: the hook `policy.onRefresh`, and `holds`
 * of each choice. Without these hooks no use reads the database.
 *
 * The day and the address of the last use are stored in the background, with one command for each token, day and
 * process. No call waits for the write or fails by it.
 */
export function createNamedTokens({ settings, models, policy, emit }: FeatureParts): NamedTokens {
  const { grants, reportChange } = models;
  const { callsPerHour } = requireEnabled(settings.personalAccessTokens, 'personalAccessTokens');
  // per process: a shared counter would cost a command for each call
  const calls = createFailureLimit(
    callsPerHour !== undefined && { failures: callsPerHour, window: HOUR, counted: 'calls' },
  );
  const storedDays = createCache<Date>({ size: MAX_KNOWN });
  const later = createStoredLater<{
    readonly grantId: string;
    readonly day: Date;
    readonly address: string | undefined;
  }>({
    interval: INTERVAL,
    store: ({ grantId, ...use }) => grants.noteNamedTokenUse(grantId, use),
    onLost: ({ grantId }) => void storedDays.delete(grantId),
    onError: settings.onError,
    failure: { endpoint: 'guard', detail: 'the day on which a token was last used could not be stored' },
  });

  return {
    async use(grant, { scopes: granted, origin, isRecheck = false, now }) {
      const { grantId, clientId, grantType, namedToken, authorization } = grant;
      const { userId, resources, authorizationDetails } = authorization;
      if (!isRecheck) await calls.consume(grantId);

      // the user may have lost the right to a choice of the token
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
        // RFC 6750 §3.1: the error of a resource server; a failure of the site's hook stays a server error
        throw error instanceof OAuthError && error.reason === 'refused_by_policy'
          ? invalidToken(error.detail ?? error.description, error)
          : error;
      });

      if (!isRecheck) {
        // `verify` of the site has no request
        const address = origin.ip === '' ? undefined : origin.ip;
        const day = new Date(Math.floor(now.getTime() / DAY) * DAY);
        const waiting = later.waiting.get(grantId);
        const stored = storedDays.get(grantId) ?? namedToken?.lastUsedOn;
        const isNews =
          waiting === undefined
            ? later.waiting.size < MAX_WAITING && (stored === undefined || stored < day)
            : address !== undefined && waiting.address !== address;
        if (isNews) {
          storedDays.set(grantId, day);
          later.set(grantId, { grantId, day, address });
        }
      }
      // a scope that the options no longer have is lost for such tokens, too
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

/** The client in the hooks of `policy`: unregistered, with the token's name. */
export function policyClientOf(clientId: string, name = clientId): PolicyClient {
  return { clientId, name, type: 'confidential', trusted: false, verified: false };
}
