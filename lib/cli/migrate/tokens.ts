import { createHash } from 'node:crypto';

import type { Client } from '../../core/clients/client.js';
import type { Grant } from '../../core/grants/grant.js';
import type { MigratedTokenKind } from '../../core/grants/tokens/migrated-tokens.js';
import { hashSecret, hasOwnTokenPrefix } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import { isSameResource, toConsent } from '../../shared/protocol/resource.js';
import { isScopeToken } from '../../shared/protocol/scope.js';
import { UNKNOWN_USER } from './consents.js';
import { LeftOut, orLeftOut } from './report.js';
import { readSha256 } from './secrets.js';
import { type Migration, type OldToken, type OldTokens, someAtOnce } from './source.js';
import { dateOf, textOf, textValuesOf } from './values.js';

/** A shorter token could be guessed from its hash. */
const MIN_LENGTH = 16;
const MAX_LENGTH = 16_384;
/** The grant type of migrated grants in events and lists. */
const GRANT_TYPE = 'migrated';
/** The length of all grant ids. */
const GRANT_ID_LENGTH = 22;
const KIND_OF = { access_token: 'accessTokens', refresh_token: 'refreshTokens' } as const;

/**
 * Stores grants for tokens that were not taken over yet. A grant is stored before the note about its tokens, with the
 * same id in each run, so that an interrupted run can continue without duplicates.
 */
export async function takeTokens(batch: readonly OldTokens[], migration: Migration): Promise<void> {
  const { source, options, models, report, now } = migration;
  const good: DecidedTokens[] = [];
  for (const old of batch) good.push(...(await decideTokens(old, migration)));
  const unknown = await migration.findUnknownUsers(good.flatMap(({ userId }) => userId ?? []));
  const ofKnownUsers = good.filter(({ userId, clientId, tokens }) => {
    if (userId === undefined || !unknown.has(userId)) return true;
    for (const { kind } of tokens)
      report.leftOut(KIND_OF[kind], `user ${userId} at ${clientId}`, new LeftOut(UNKNOWN_USER));
    return false;
  });
  const hashes = ofKnownUsers.flatMap(({ tokens }) => tokens.map(({ hash }) => hash));
  const taken = new Set((await models.migrated.findAll(hashes)).map(({ _id }) => _id));
  const grants = ofKnownUsers.flatMap((each) => {
    const tokens = each.tokens.filter(({ kind, hash }) => {
      const isNew = !taken.has(hash);
      taken.add(hash);
      if (!isNew) report.count(KIND_OF[kind], 'already');
      return isNew;
    });
    // derived from the refresh token or the first access token: the same in each run, in the form of other grant ids
    const first = tokens.find(({ kind }) => kind === 'refresh_token') ?? tokens[0];
    if (first === undefined) return [];
    const hash = createHash('sha256').update(`migrated grant\n${first.hash}`).digest('base64url');
    return [{ ...each, tokens, grantId: hash.slice(0, GRANT_ID_LENGTH) }];
  });
  if (!options.dryRun)
    await models.grants.insertAll(
      grants.map(({ grantId, clientId, userId, scopes, resources, createdAt, tokens }): Grant => {
        const refreshToken = tokens.find(({ kind }) => kind === 'refresh_token');
        const [resource] = resources;
        return {
          grantId,
          clientId,
          grantType: GRANT_TYPE,
          authorization: { userId, scopes, resources },
          accessTokens: tokens
            .filter(({ kind }) => kind === 'access_token')
            .map(({ hash, expiresAt }) => ({ hash, expiresAt, resource })),
          refreshToken: refreshToken && { hash: refreshToken.hash, expiresAt: refreshToken.expiresAt },
          createdAt,
          expiresAt: new Date(Math.max(...tokens.map(({ expiresAt }) => expiresAt.getTime()))),
        };
      }),
    );

  // for a server without consents: one consent for each user and client, for any number of tokens
  const consents = new Map<string, { userId: string; clientId: string; scopes: Set<string> }>();
  for (const { userId, clientId, scopes, resources } of grants) {
    if (userId === undefined || !options.consents || !source.consentsByTokens) continue;
    const key = JSON.stringify([userId, clientId]);
    const consent = consents.get(key) ?? { userId, clientId, scopes: new Set<string>() };
    for (const scope of toConsent(scopes, resources)) consent.scopes.add(scope);
    consents.set(key, consent);
  }
  await someAtOnce([...consents.values()], async ({ userId, clientId, scopes }) => {
    const requested = [...scopes];
    if (!options.dryRun)
      await models.consents.remember(userId, clientId, { requested, allowed: requested, now });
    report.count('consents', 'found');
    report.count('consents', 'taken');
  });

  const notes = grants.flatMap(({ grantId, tokens }) =>
    tokens.map(({ kind, hash }) => ({ _id: hash, kind, grantId, takenAt: now })),
  );
  if (!options.dryRun) await models.migrated.note(notes);
  for (const { kind } of notes) report.count(KIND_OF[kind], 'taken');
}

type DecidedTokens = ReturnType<typeof decideWhole> & {
  readonly tokens: readonly ReturnType<typeof decideToken>[];
};

/** The valid tokens of one grant; each is checked separately, and the others are reported. */
async function decideTokens(old: OldTokens, migration: Migration): Promise<readonly DecidedTokens[]> {
  const { report, clients } = migration;
  const whole = await orLeftOut(async () => {
    const client = await clients.find(old.client);
    return { client, of: decideWhole(old, client, migration) };
  });
  const tokens: ReturnType<typeof decideToken>[] = [];
  for (const [kind, token] of [
    ...old.accessTokens.map((each) => ['access_token', each] as const),
    ...[old.refreshToken ?? []].flat().map((each) => ['refresh_token', each] as const),
  ]) {
    report.count(KIND_OF[kind], 'found');
    const decided = await orLeftOut(() => {
      // first, so that an expired token is reported as expired
      const good = decideToken(kind, token, migration);
      if (whole instanceof LeftOut) throw whole;
      const { client, of } = whole;
      if (kind === 'refresh_token' && !client.grantTypes.includes('refresh_token'))
        throw new LeftOut('its client is not registered for refresh_token');
      const hasScope = of.scopes.length === 0 || of.scopes.some((scope) => client.scopes.includes(scope));
      if (kind === 'refresh_token' && !hasScope)
        throw new LeftOut('its client may ask for none of its scopes');
      return good;
    });
    const name = `${old.name} of ${textOf(old.client) ?? 'no client'}`;
    if (decided instanceof LeftOut) report.leftOut(KIND_OF[kind], name, decided);
    else tokens.push(decided);
  }
  return whole instanceof LeftOut || tokens.length === 0 ? [] : [{ ...whole.of, tokens }];
}

/** Decides the user, the client, the scopes and the resources. */
function decideWhole(
  old: OldTokens,
  { clientId, type }: Client,
  { options, scopes: siteScopes, now }: Migration,
) {
  const user = textOf(old.user);
  if (old.user !== undefined && user === undefined) throw new LeftOut('its user is no id');
  const isOwn = user === undefined || user === clientId || user === textOf(old.client);
  // RFC 6749 §4.4: a public client cannot act for itself
  if (isOwn && type === 'public') throw new LeftOut('it names no user, and its client is public');

  // RFC 6749 §3.3
  const stored = old.scopes === undefined ? [] : textValuesOf(old.scopes);
  if (stored?.every(isScopeToken) !== true) throw new LeftOut('its scopes are none');
  const desired = [...new Set(stored.length > 0 ? stored : options.scopes)];
  const scopes = desired.filter((scope) => siteScopes === undefined || siteScopes.includes(scope));
  if (scopes.length === 0 && desired.length > 0) throw new LeftOut('the site has none of its scopes');

  // RFC 8707: the site itself is no resource here
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

function decideToken(kind: MigratedTokenKind, token: OldToken, { options, now }: Migration) {
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
  // a value in clear: a very long one could not be presented, a short one could be guessed
  if (value.length < MIN_LENGTH)
    throw new LeftOut(`it has fewer than ${MIN_LENGTH} characters: it could be guessed`);
  if (value.length > MAX_LENGTH) throw new LeftOut(`it has more than ${MAX_LENGTH} characters`);
  if (hasOwnTokenPrefix(value)) throw new LeftOut('it begins as the tokens of this package do');
  // RFC 6750 §2.1: b64token; RFC 6749 Appendix A.17: 1*VSCHAR
  const syntax = kind === 'access_token' ? /^[A-Za-z0-9._~+/-]+=*$/ : /^[\x20-\x7e]+$/;
  if (!syntax.test(value)) throw new LeftOut('it has characters that cannot be sent');
  return { kind, hash: hashSecret(value), expiresAt };
}
