import { createPolicy } from '../core/grants/policy.js';
import { createAccessTokens, type ReadToken } from '../core/grants/tokens/access-tokens.js';
import { createMigratedTokens, type ReadRefreshToken } from '../core/grants/tokens/migrated-tokens.js';
import { createTokenIssuer } from '../core/grants/tokens/token-issuer.js';
import type { SigningKeys } from '../core/keys/signing-keys.js';
import type { CreateIdToken } from '../core/openid/openid-authorization.js';
import { createSubjects } from '../core/openid/subjects.js';
import type { Settings } from '../settings/settings.js';
import { parseRefreshToken } from '../shared/crypto/secrets.js';
import type { Stores } from '../storage/stores.js';

/** The parts that make tokens, and recognize them. */
export function createTokens(
  settings: Settings,
  models: Stores,
  parts: {
    readonly signingKeys: SigningKeys;
    readonly createIdToken: CreateIdToken | undefined;
    /** Read the access tokens of features. */
    readonly readers: readonly ReadToken[];
  },
) {
  const { signingKeys, createIdToken, readers } = parts;
  const readMigrated = createMigratedTokens(settings.tokens.migrated ? models.migrated : undefined);
  const accessTokens = createAccessTokens(settings, signingKeys, [
    ...readers,
    (token) => readMigrated('access_token', token),
  ]);
  const policy = createPolicy(settings, models);
  return {
    readMigrated,
    readRefreshToken: (async (value) =>
      parseRefreshToken(value) ?? readMigrated('refresh_token', value)) satisfies ReadRefreshToken,
    accessTokens,
    policy,
    createIdToken,
    issuer: createTokenIssuer(settings, accessTokens, {
      policy,
      createIdToken,
      subjectOf: createSubjects(settings.openid),
    }),
  };
}
