import { type ImpliedScopes, withImplied } from '../../shared/protocol/implied-scopes.js';
import { isClaimEntry } from '../../shared/protocol/standard-claims.js';
import type { Emit } from '../observability/events.js';
import type { ConsentStore } from './consent-store.js';
import type { ChangedChoice, GrantStore, LostScopes } from './grant-store.js';

interface Stores {
  readonly grants: GrantStore;
  readonly consents: ConsentStore;
}

/**
 * Takes scopes back without ending anything: refresh tokens and access tokens stay, with fewer scopes from now on. A
 * JWT that others check only by its signature keeps its scopes until it expires, as it does when it is revoked.
 *
 * @param revocation `granted`: all scopes that the client holds, and those that they include
 * @returns the scopes that were taken back
 * @see RFC 6749 §6: a refresh can have no scope that its grant has not
 */
export async function revokeScopesOfGrants(
  { grants, consents }: Stores,
  revocation: {
    readonly userId: string;
    readonly clientId: string;
    readonly granted: readonly string[];
    readonly remaining: readonly string[];
    readonly now: Date;
  },
  { implied, emit }: { readonly implied: ImpliedScopes; readonly emit: Emit },
): Promise<readonly string[]> {
  const { userId, clientId, granted, remaining, now } = revocation;
  // the single claims in a lost scope are lost, whatever they were allowed by (OpenID Connect Core §5.5)
  const grantedWithClaims = [...new Set([...granted, ...withImplied(granted, implied).filter(isClaimEntry)])];
  const lost = lostScopesOf(grantedWithClaims, remaining, implied);
  if (lost.size === 0) return [];
  // first, so that a silent request in between finds no consent to the lost scopes
  const consented = (await consents.findScopes(userId, clientId)) ?? [];
  const entries = consented.filter((entry) => lost.has(scopeIn(entry)));
  if (entries.length > 0)
    await consents.narrow(userId, clientId, {
      lost: entries,
      left: [
        ...new Set(
          entries.flatMap((entry) => {
            const scope = scopeIn(entry);
            return (lost.get(scope) ?? []).map((name) => name + entry.slice(scope.length));
          }),
        ),
      ],
      now,
    });
  const count = await grants.revokeScopes({ userId, clientId }, lost, now);
  const scopes = [...lost.keys()].filter((scope) => granted.includes(scope));
  await emit('grant.narrowed', { userId, clientId, scopes, count, reason: 'user' });
  return scopes;
}

/** If a scope is lost, scopes that it includes may stay: a client that may no longer write may still read. */
function lostScopesOf(
  granted: readonly string[],
  remaining: readonly string[],
  implied: ImpliedScopes,
): LostScopes {
  const staying = withImplied(remaining, implied);
  return new Map(
    granted
      .filter((scope) => !staying.includes(scope))
      // a single claim never replaces a scope: no token has one
      .map((scope) => [
        scope,
        (implied.get(scope) ?? []).filter((name) => !isClaimEntry(name) && staying.includes(name)),
      ]),
  );
}

/** An entry that is remembered for a resource has it after a space. */
function scopeIn(entry: string): string {
  return entry.split(' ')[0] ?? '';
}

/**
 * Changes what was picked for a client without ending anything: its tokens stay, and are for the new pick from now on.
 * A JWT that others check only by its signature keeps the old pick until it expires.
 */
export async function changeChoicesOfGrants(
  { grants, consents }: Stores,
  { userId, clientId, now }: { readonly userId: string; readonly clientId: string; readonly now: Date },
  { rebound, emit }: { readonly rebound: ChangedChoice; readonly emit: Emit },
): Promise<void> {
  // first, so that a silent request in between is given the new pick
  await consents.rebind(userId, clientId, { ...rebound, now });
  const count = await grants.changeChoices({ userId, clientId }, rebound, now);
  await emit('grant.rebound', { userId, clientId, reason: rebound.name, count });
}
