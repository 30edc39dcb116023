import {
  type ClientAuthentication,
  createClientAuthentication,
} from '../core/client-authentication/client-authentication.js';
import type { ClientKeys } from '../core/client-authentication/client-keys.js';
import type { ClientAuthenticationMethod } from '../core/client-authentication/method.js';
import { createAssertionVerifier } from '../core/client-authentication/verify-assertion.js';
import type { ClientSource } from '../core/clients/client-store.js';
import { createSecretVerifier } from '../core/clients/secrets/client-secrets.js';
import type { SecretUses } from '../core/clients/secrets/secret-last-used.js';
import { urlsOf } from '../settings/endpoint-urls.js';
import { PROFILE_METHODS } from '../settings/profile.js';
import type { Settings } from '../settings/settings.js';
import type { SealedSecrets } from '../shared/crypto/sealed-secrets.js';
import type { Stores } from '../storage/stores.js';

/** How the clients of a server authenticate, with the methods that are on. */
export function createAuthentication(
  methods: readonly ClientAuthenticationMethod[],
  {
    settings,
    models,
    clientSource,
    sealedSecrets,
    secretUses,
    clientKeys,
  }: {
    readonly settings: Settings;
    readonly models: Stores;
    readonly clientSource: ClientSource;
    readonly sealedSecrets: SealedSecrets | undefined;
    readonly secretUses: SecretUses;
    readonly clientKeys: ClientKeys;
  },
): ClientAuthentication {
  return createClientAuthentication(methods, {
    clients: clientSource,
    failures: models.failures,
    verifySecret: createSecretVerifier(),
    noteSecretUse: secretUses.note,
    verifyAssertion: createAssertionVerifier({
      issuer: settings.issuer,
      audiences: assertionAudiences(settings),
      maxTtl: settings.clientAuthentication.assertions.maxTtl,
      clockTolerance: settings.security.clockTolerance,
      assertionIds: models.assertionIds,
    }),
    clientKeys,
    profile: settings.profile,
    settings,
    sealedSecrets,
  });
}

/** FAPI 2.0 Security Profile §5.3.2.1-6 allows only some methods. */
export function enabledMethods(
  settings: Settings,
  methods: readonly ClientAuthenticationMethod[],
): readonly ClientAuthenticationMethod[] {
  return methods.filter(
    ({ name, isOn }) =>
      (isOn?.(settings) ?? true) && (settings.profile === undefined || PROFILE_METHODS.includes(name)),
  );
}

/** RFC 7523 §3: the token endpoint's URL may be the audience; RFC 7523bis wants only the issuer. */
function assertionAudiences(settings: Settings): readonly string[] {
  const {
    issuer,
    clientAuthentication: { assertions },
    pushedRequests,
  } = settings;
  if (assertions.audience === 'issuer') return [issuer];
  // RFC 9126 §2
  const pushing = pushedRequests ? urlsOf(settings, 'par') : [];
  return [issuer, ...urlsOf(settings, 'token'), ...pushing];
}
