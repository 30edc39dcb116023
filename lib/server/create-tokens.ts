import { createEncryptToClient } from '../client-authentication/encrypt-to-client.js';
import type { ClientKeys } from '../client-authentication/remote-keys.js';
import { defaultAlgorithms } from '../clients/client-profile.js';
import { createAccessTokens } from '../grants/access-tokens.js';
import { createClientCaps } from '../grants/client-caps.js';
import { createMigratedTokens, createRefreshTokenReader } from '../grants/migrated-tokens.js';
import { createPolicy } from '../grants/policy.js';
import { createTokenIssuer } from '../grants/token-issuer.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { Stores } from '../models/stores.js';
import { createIdTokens } from '../openid/id-tokens.js';
import { rememberSignIns } from '../openid/remember-sign-ins.js';
import { createSids, createSubjects } from '../openid/subjects.js';
import type { Settings } from '../settings/settings.js';

interface Keys {
  readonly signingKeys: SigningKeys;
  readonly clientKeys: ClientKeys;
}

/** The parts that make tokens, and recognize them. */
export function createTokens(settings: Settings, models: Stores, { signingKeys, clientKeys }: Keys) {
  const readMigrated = createMigratedTokens(settings.migratedTokens ? models.migrated : undefined);
  const accessTokens = createAccessTokens(settings, signingKeys, readMigrated);
  const policy = createPolicy({ settings, caps: createClientCaps(models) });
  const { issuer, openid } = settings;
  const subjectOf = createSubjects(openid);
  const idTokens =
    openid === false
      ? undefined
      : rememberSignIns(
          createIdTokens({
            issuer,
            openid,
            subjectOf,
            sidOf: createSids(openid),
            signingKeys,
            algorithmFor: defaultAlgorithms(settings),
            encrypt: createEncryptToClient(clientKeys),
          }),
          { signIns: models.signIns, life: openid.signInTtl },
        );
  return {
    readMigrated,
    readRefreshToken: createRefreshTokenReader(readMigrated),
    accessTokens,
    policy,
    idTokens,
    issuer: createTokenIssuer(settings, accessTokens, { policy, idTokens, subjectOf }),
  };
}
