import type { OnError } from '../../settings/options/on-error.js';
import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { createFailureLimit } from '../../shared/limits/failure-limit.js';
import { createCache } from '../../shared/lru-cache.js';
import { findLostChoice } from '../authorization-details/find-lost-choice.js';
import type { ReportChange } from '../delivery/report-change.js';
import type { RequestOrigin } from '../http/request-origin.js';
import type { Emit } from '../observability/events.js';
import { createStoredLater } from '../observability/stored-later.js';
import type { GuardedGrant } from './grant.js';
import type { GrantStore } from './grant-store.js';
import type { NamedToken } from './named-token.js';
import type { Policy, PolicyClient } from './policy.js';

interface WaitingUse {
  readonly grantId: string;
  readonly day: Date;
  readonly address: string | undefined;
}

/** Tokens whose day is known to be stored, and those that wait: more are noted at their next use. */
const MAX_KNOWN = 10_000;
const MAX_WAITING = 1000;
const DAY = 86_400_000;

/** Notes the day on which each token of a user's own programs was last used, and from which address. */
export type NamedTokenUses = ReturnType<typeof createNamedTokenUses>;

/**
 * Stores the days beside the requests, as those of client secrets are: one command for each token, day and process. No
 * call waits for one, and none fails by it.
 *
 * @param options `interval`: milliseconds that a use waits to be stored, by default five minutes
 */
export function createNamedTokenUses(options: {
  readonly grants: GrantStore;
  readonly onError?: OnError | undefined;
  readonly interval?: number;
}) {
  const { grants, onError, interval = 300_000 } = options;
  const known = createCache<Date>({ size: MAX_KNOWN });
  const later = createStoredLater<WaitingUse>({
    interval,
    store: ({ grantId, ...use }) => grants.noteNamedTokenUse(grantId, use),
    onLost: ({ grantId }) => void known.delete(grantId),
    onError,
    failure: { endpoint: 'guard', detail: 'the day on which a token was last used could not be stored' },
  });

  return {
    /** Costs nothing at that moment, whatever becomes of it. */
    note(
      { grantId, namedToken }: Pick<GuardedGrant, 'grantId' | 'namedToken'>,
      { now, address }: { readonly now: Date; readonly address?: string | undefined },
    ) {
      const day = new Date(Math.floor(now.getTime() / DAY) * DAY);
      const waiting = later.waiting.get(grantId);
      const stored = known.get(grantId) ?? namedToken?.lastUsedOn;
      const isNews =
        waiting === undefined
          ? stored === undefined || stored < day
          : address !== undefined && waiting.address !== address;
      if (!isNews || (waiting === undefined && later.waiting.size >= MAX_WAITING)) return;
      known.set(grantId, day);
      later.set(grantId, { grantId, day, address });
    },
    /** Whether something waits to be stored of one of these tokens. */
    isWaiting: (grantIds: readonly string[]) => grantIds.some((grantId) => later.waiting.has(grantId)),
    /** Stores what waits of these tokens, before they are listed; resolves in any case. */
    flush: (grantIds: readonly string[]) => later.flush(({ grantId }) => grantIds.includes(grantId)),
    /** Stores what waits, and ends; resolves in any case. */
    close: later.close,
  };
}

/** Seconds. */
const HOUR = 3600;

/** A use of a token that is valid as it is stored. */
export interface TokenUseRequest {
  readonly scopes: readonly string[];
  readonly origin: RequestOrigin;
  /** Whether the guard looks at it again for what it has opened: such a look is no call, and no use. */
  readonly isRecheck?: boolean | undefined;
  readonly now: Date;
}

/**
 * The scopes that a token of a user's own programs has at this use.
 *
 * @throws OAuthError invalid_token if it may be used no more, or what a hook of the site throws
 */
export type UseNamedToken = (grant: GuardedGrant, use: TokenUseRequest) => Promise<readonly string[]>;

/**
 * Such a token lives long and is never refreshed, so each use asks what a refresh asks: the hook `policy.onRefresh`, and
 * `holds` of what was picked. Without these hooks nothing is asked, and the database is never.
 */
export function createUseNamedToken(dependencies: {
  readonly settings: Pick<Settings, 'scopes' | 'choices' | 'authorizationDetails'>;
  /** The most calls of one token in an hour, at this process. Default: no limit. */
  readonly callsPerHour?: number | undefined;
  readonly policy: Policy;
  readonly grants: GrantStore;
  readonly reportChange: ReportChange;
  readonly uses: NamedTokenUses;
  readonly emit: Emit;
}): UseNamedToken {
  const { settings, callsPerHour, policy, grants, reportChange, uses, emit } = dependencies;
  // in the memory of this process: a count for all of them would cost each call a command
  const calls = createFailureLimit(
    callsPerHour !== undefined && { failures: callsPerHour, window: HOUR, counted: 'calls' },
  );

  return async (grant, { scopes: granted, origin, isRecheck = false, now }) => {
    const { grantId, clientId, grantType, namedToken, authorization } = grant;
    const { userId, resources, authorizationDetails } = authorization;
    if (!isRecheck) await calls.consume(grantId);

    // what was picked for it may not be the user's to give any more
    const lost =
      userId === undefined ? undefined : await findLostChoice(authorization, { userId, clientId }, settings);
    if (lost !== undefined) {
      const data = { grantId, clientId, userId, scopes: authorization.scopes };
      await reportChange({ type: 'grant.revoked', ...data, reason: 'choice_lost' }, { now, emit }, () =>
        grants.revokeNamedToken(grantId, undefined, now),
      );
      throw refused(`the choice ${lost} does not hold any more`);
    }

    let scopes: readonly string[];
    try {
      const client = policyClientOf(clientId, namedToken);
      const token = { client, userId, scopes: granted, resources, authorizationDetails, grantType };
      scopes = await policy.use({ ...token, now });
    } catch (error) {
      // RFC 6750 §3.1: the error of a resource server; what failed on the site's side stays a failure
      throw error instanceof OAuthError && error.reason === 'refused_by_policy'
        ? refused(error.detail ?? error.description, error)
        : error;
    }
    // a token that the site checks by `verify` comes with no request
    if (!isRecheck) uses.note(grant, { now, address: origin.ip === '' ? undefined : origin.ip });
    // a scope that the site has taken out of its options is gone for such tokens, too
    return scopes.filter((scope) => Object.hasOwn(settings.scopes, scope));
  };
}

/** How the hooks of `policy` see such a token: a client that nobody has registered, with the token's name. */
export function policyClientOf(
  clientId: string,
  namedToken: Pick<NamedToken, 'name'> | undefined,
): PolicyClient {
  return {
    clientId,
    name: namedToken?.name ?? clientId,
    type: 'confidential',
    trusted: false,
    verified: false,
  };
}

function refused(detail: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_token', 'the access token is invalid, expired or revoked', {
    reason: 'access_token_invalid',
    detail,
    cause,
  });
}
