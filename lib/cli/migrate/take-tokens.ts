import { createHash } from 'node:crypto';

import { createGrant } from '../../core/grants/grant.js';
import { toConsent } from '../../shared/protocol/resource.js';
import type { Stores } from '../../storage/stores.js';
import type { MigrationReport } from './report.js';
import { someAtOnce } from './some-at-once.js';
import { type GoodToken, type GoodTokens, KIND_OF } from './tokens.js';

/** The grant type that events and lists name for a grant from elsewhere. */
const GRANT_TYPE = 'migrated';
/** Characters, as in all ids of grants. */
const GRANT_ID_LENGTH = 22;

export interface TakeTokens {
  readonly models: Stores;
  readonly report: MigrationReport;
  readonly dryRun: boolean;
  /** Whether users count as having allowed what the tokens were issued for. */
  readonly withConsents: boolean;
  readonly now: Date;
}

/**
 * Stores grants for tokens that are not taken over yet. A grant is stored before the note that its tokens are here, and
 * has the same id in each run, so that an interrupted run can be continued and nothing is stored twice.
 */
export async function takeTokens(all: readonly GoodTokens[], context: TakeTokens): Promise<void> {
  const { models, report, dryRun, now } = context;
  const known = await models.migrated.findAll(all.flatMap(({ tokens }) => tokens.map(({ hash }) => hash)));
  const taken = new Set(known.map(({ _id }) => _id));
  const fresh = all.flatMap((each) => {
    const tokens = each.tokens.filter(({ kind, hash }) => {
      const isNew = !taken.has(hash);
      taken.add(hash);
      if (!isNew) report.already(KIND_OF[kind]);
      return isNew;
    });
    return tokens.length === 0 ? [] : [{ ...each, tokens, grantId: grantIdOf(tokens) }];
  });
  if (!dryRun) await models.grants.insertAll(fresh.map(grantOf));
  await takeConsents(fresh, context);
  if (!dryRun)
    await models.migrated.note(
      fresh.flatMap(({ grantId, tokens }) =>
        tokens.map(({ kind, hash }) => ({ _id: hash, kind, grantId, takenAt: now })),
      ),
    );
  for (const { tokens } of fresh) for (const { kind } of tokens) report.taken(KIND_OF[kind]);
}

/** One consent for each user and client, for any number of tokens. */
async function takeConsents(
  fresh: readonly GoodTokens[],
  { models, report, dryRun, withConsents, now }: TakeTokens,
): Promise<void> {
  if (!withConsents) return;
  const byPair = new Map<string, { userId: string; clientId: string; scopes: Set<string> }>();
  for (const { userId, clientId, scopes, resources } of fresh) {
    if (userId === undefined) continue;
    const key = JSON.stringify([userId, clientId]);
    const pair = byPair.get(key) ?? { userId, clientId, scopes: new Set<string>() };
    for (const scope of toConsent(scopes, resources)) pair.scopes.add(scope);
    byPair.set(key, pair);
  }
  await someAtOnce([...byPair.values()], async ({ userId, clientId, scopes }) => {
    const requested = [...scopes];
    if (!dryRun) await models.consents.remember(userId, clientId, { requested, allowed: requested, now });
    report.found('consents');
    report.taken('consents');
  });
}

function grantOf({
  clientId,
  userId,
  scopes,
  resources,
  createdAt,
  tokens,
  grantId,
}: GoodTokens & { readonly grantId: string }) {
  const refreshToken = tokens.find(({ kind }) => kind === 'refresh_token');
  const [resource] = resources;
  return createGrant({
    grantId,
    clientId,
    grantType: GRANT_TYPE,
    authorization: { ...(userId !== undefined && { userId }), scopes, resources },
    accessTokens: tokens
      .filter(({ kind }) => kind === 'access_token')
      .map(({ hash, expiresAt }) => ({ hash, expiresAt, ...(resource !== undefined && { resource }) })),
    ...(refreshToken && { refreshToken: { hash: refreshToken.hash, expiresAt: refreshToken.expiresAt } }),
    now: createdAt,
    expiresAt: new Date(Math.max(...tokens.map(({ expiresAt }) => expiresAt.getTime()))),
  });
}

/** Made from its refresh token, or its first access token: the same in each run, and in the form of other grant ids. */
function grantIdOf(tokens: readonly GoodToken[]): string {
  const named = tokens.find(({ kind }) => kind === 'refresh_token') ?? tokens[0];
  return createHash('sha256')
    .update(`migrated grant\n${named?.hash ?? ''}`)
    .digest('base64url')
    .slice(0, GRANT_ID_LENGTH);
}
