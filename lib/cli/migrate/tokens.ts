import { readSha256 } from '../../core/clients/secrets/imported-secret-hashes.js';
import type { MigratedTokenKind } from '../../core/grants/tokens/migrated-tokens.js';
import { hashSecret, hasOwnTokenPrefix } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import { isScopeToken } from '../../shared/protocol/scope.js';
import { LeftOut, outcomeOf } from './left-out.js';
import type { ClientOfTokens, MigratedClients } from './migrated-clients.js';
import type { MigrateOptions } from './options.js';
import type { Kind, Remark } from './report.js';
import type { OldToken, OldTokens } from './source.js';
import { dateOf, textOf, textValuesOf } from './values.js';

/** What is stored of a good token. */
export interface GoodToken {
  readonly kind: MigratedTokenKind;
  readonly hash: string;
  readonly expiresAt: Date;
}

/** Tokens that become one grant. */
export interface GoodTokens {
  readonly clientId: string;
  readonly userId: string | undefined;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly createdAt: Date;
  readonly tokens: readonly GoodToken[];
}

export interface TokenRules {
  readonly options: Pick<
    MigrateOptions,
    'scopes' | 'tokensAre' | 'accessTokenTtl' | 'refreshTokenTtl' | 'issuer'
  >;
  readonly directory: Pick<MigratedClients, 'find'>;
  /** The scopes that the site has, if they are known. */
  readonly scopes: readonly string[] | undefined;
  readonly now: Date;
}

export interface DecidedTokens {
  /** Absent if none of them is good. */
  readonly good?: GoodTokens;
  readonly leftOut: readonly Remark[];
}

/** A shorter token could be found by trying, given its hash. */
const MIN_LENGTH = 16;
const MAX_LENGTH = 16_384;

export const KIND_OF = {
  access_token: 'accessTokens',
  refresh_token: 'refreshTokens',
} as const satisfies Record<MigratedTokenKind, Kind>;

/** The good tokens and those that are left out; each is checked separately. */
export async function decideTokens(old: OldTokens, rules: TokenRules): Promise<DecidedTokens> {
  const given = [
    ...old.accessTokens.map((token) => ({ kind: 'access_token' as const, token })),
    ...(old.refreshToken === undefined ? [] : [{ kind: 'refresh_token' as const, token: old.refreshToken }]),
  ];
  const whole = await outcomeOf(async () => {
    const client = await rules.directory.find(old.client);
    return { client, of: decideWhole(old, client, rules) };
  });
  const tokens: GoodToken[] = [];
  const leftOut: Remark[] = [];
  for (const { kind, token } of given) {
    const looked = await outcomeOf(() => {
      // first, so that an expired token is reported as expired
      const good = decideToken(kind, token, rules);
      if (kind === 'access_token' || !('value' in whole)) return good;
      const { client, of } = whole.value;
      if (!client.grantTypes.includes('refresh_token'))
        throw new LeftOut('its client is not registered for refresh_token');
      if (of.scopes.length > 0 && !of.scopes.some((scope) => client.scopes.includes(scope)))
        throw new LeftOut('its client may ask for none of its scopes');
      return good;
    });
    const problem = 'problem' in looked ? looked.problem : 'problem' in whole ? whole.problem : undefined;
    const name = `${old.name} of ${textOf(old.client) ?? 'no client'}`;
    if (problem !== undefined) leftOut.push({ kind: KIND_OF[kind], name, ...problem });
    else if ('value' in looked) tokens.push(looked.value);
  }
  if (!('value' in whole) || tokens.length === 0) return { leftOut };
  return { leftOut, good: { ...whole.value.of, tokens } };
}

/** Decides whose they are and what they are for. */
function decideWhole(
  old: OldTokens,
  { clientId, type }: ClientOfTokens,
  { options, scopes: known, now }: TokenRules,
): Omit<GoodTokens, 'tokens'> {
  const user = textOf(old.user);
  if (old.user !== undefined && user === undefined) throw new LeftOut('its user is no id');
  const isOwn = user === undefined || user === clientId || user === textOf(old.client);
  // RFC 6749 §4.4: a public client cannot act for itself
  if (isOwn && type === 'public') throw new LeftOut('it names no user, and its client is public');

  // RFC 6749 §3.3
  const named = old.scopes === undefined ? [] : textValuesOf(old.scopes);
  if (named?.every(isScopeToken) !== true) throw new LeftOut('its scopes are none');
  const desired = [...new Set(named.length > 0 ? named : options.scopes)];
  const scopes = desired.filter((scope) => known === undefined || known.includes(scope));
  if (scopes.length === 0 && desired.length > 0) throw new LeftOut('the site has none of its scopes');

  // RFC 8707: the site itself is not among them
  const resources = old.resources === undefined ? [] : textValuesOf(old.resources);
  if (resources?.every((resource) => URL.canParse(resource)) !== true)
    throw new LeftOut('what it is for (aud, resource) is no URL');
  const { issuer } = options;
  return {
    clientId,
    userId: isOwn ? undefined : user,
    scopes,
    resources: resources.filter((resource) => issuer === undefined || !isSameResource(resource, issuer)),
    createdAt: old.createdAt !== undefined && old.createdAt < now ? old.createdAt : now,
  };
}

function decideToken(kind: MigratedTokenKind, token: OldToken, { options, now }: TokenRules): GoodToken {
  const { value, problem } = token;
  if (typeof value !== 'string' || value === '') throw new LeftOut('there is no token in it');
  const ttl = kind === 'access_token' ? options.accessTokenTtl : options.refreshTokenTtl;
  if (token.expiresAt === undefined && ttl === undefined)
    throw new LeftOut('it has no end', '--access-token-ttl');
  const expiresAt = token.expiresAt === undefined ? addSeconds(now, ttl ?? 0) : dateOf(token.expiresAt);
  if (expiresAt === undefined) throw new LeftOut('its end is no date');
  if (expiresAt <= now) throw new LeftOut('it has expired', undefined, true);
  if (problem !== undefined) throw new LeftOut(problem, undefined, true);

  if (options.tokensAre === 'sha256') {
    const hash = readSha256(value);
    if (hash === undefined) throw new LeftOut('it is stored as something that is no SHA-256 hash');
    return { kind, hash, expiresAt };
  }
  // in clear: nobody could present it, or too many users could
  if (value.length < MIN_LENGTH)
    throw new LeftOut(`it has fewer than ${MIN_LENGTH} characters: it could be guessed`);
  if (value.length > MAX_LENGTH) throw new LeftOut(`it has more than ${MAX_LENGTH} characters`);
  if (hasOwnTokenPrefix(value)) throw new LeftOut('it begins as the tokens of this package do');
  // RFC 6750 §2.1: b64token; RFC 6749 Appendix A.17: 1*VSCHAR
  const syntax = kind === 'access_token' ? /^[A-Za-z0-9._~+/-]+=*$/ : /^[\x20-\x7e]+$/;
  if (!syntax.test(value)) throw new LeftOut('it has characters that cannot be sent');
  return { kind, hash: hashSecret(value), expiresAt };
}
