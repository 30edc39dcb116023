import { credentialOf } from '../../core/clients/auth-method-info.js';
import type { ClientField } from '../../core/clients/client-field.js';
import type { ClientInfo, SecretInfo } from '../../core/clients/registry/client-info.js';
import type { ClientService } from '../../core/clients/registry/client-service.js';
import type { FailureCounts } from '../../core/clients/status/client-failures.js';
import type { GrantType } from '../../core/grant-types/grant-type.js';
import { aliasOf, urlOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { FAILURE_MEANINGS } from '../../shared/failure-reasons.js';
import type { Translator } from '../rendering/translator.js';
import { authenticationOf } from './application-authentication.js';
import { describeAbout, describeOtherFields, labelOf } from './application-fields.js';
import { grantTypeChoices, scopeChoices } from './application-form.js';
import { isService } from './application-kinds.js';
import { snippetsOf } from './application-snippets.js';
import { trialOf } from './application-trial.js';

export interface DescribeOptions {
  readonly clients: Pick<ClientService, 'limits' | 'fields'>;
  readonly settings: Settings;
  /** Those that are on, with their texts. */
  readonly grantTypes: readonly GrantType[];
}

/** Everything about one client that its page shows. */
export function describeApplication(
  client: ClientInfo,
  { clients, settings, grantTypes }: DescribeOptions,
  translator: Translator,
) {
  const {
    issuer,
    scopes,
    clientAuthentication: { secretOverlap },
    lifetimes: { authorizationCode: codeTtl },
  } = settings;
  const endpoints = {
    issuer,
    authorization: urlOf(settings, 'authorize'),
    token: urlOf(settings, 'token'),
    tokenWithCertificate: aliasOf(settings, urlOf(settings, 'token')),
  };
  return {
    client,
    authentication: authenticationOf(client),
    credential: credentialOf(client, clients.limits.methods),
    keys:
      client.jwks?.keys.map(({ kid, kty, alg }) => ({
        kid,
        kind: [kty, alg].filter((part) => typeof part === 'string').join(', '),
      })) ?? [],
    created: translator.moment(client.createdAt),
    blockedSince: client.blocked && translator.moment(client.blocked.at),
    expectedUpdatedAt: client.updatedAt.toISOString(),
    secrets: client.secrets.map((secret) => describeSecret(secret, translator)),
    about: describeAbout(client, clients.fields, translator),
    fields: describeOtherFields(client, clients.fields, translator),
    secretOf: newestSecretOf(client),
    overlap: secretOverlap === 0 ? undefined : translator.span(secretOverlap),
    scopes: scopeChoices(scopes, client.scopes, translator),
    ...describePurpose(client, settings),
    grantTypes: grantTypeChoices(client.grantTypes, grantTypes, translator),
    endpoints,
    // it is running already, and the user who looks at it is not the one who writes it
    snippets: client.selfRegistered === true ? [] : snippetsOf(client, endpoints, translator),
    trial:
      client.selfRegistered === true ? undefined : trialOf(client, { ...endpoints, codeTtl }, translator),
  };
}

/** Whom an application asks, and what is missing if it asks for nothing. */
function describePurpose(
  client: Pick<ClientInfo, 'scopes' | 'grantTypes' | 'introspection'>,
  { openid, applications }: Pick<Settings, 'openid' | 'applications'>,
) {
  const { scopes, introspection } = client;
  return {
    isService: isService(client),
    // a resource server needs none
    asksForNothing: scopes.length === 0 && introspection !== true,
    // without it there is no ID token (OpenID Connect Core §3.1.2.1)
    signInScope: openid !== false && applications.scopes.includes('openid') ? 'openid' : undefined,
  };
}

/** What tells a secret from another one, and whether somebody still uses it. */
function describeSecret({ createdAt, expiresAt, ending, lastUsedOn }: SecretInfo, translator: Translator) {
  return {
    created: translator.moment(createdAt),
    expires: expiresAt && translator.moment(expiresAt),
    ending,
    lastUsed: lastUsedOn && translator.day(lastUsedOn),
    // a secret with an ending is from a time when uses were noted already
    isUnused: lastUsedOn === undefined && ending !== undefined,
  };
}

/** What others have changed since an administrator looked, each once; a field without words by its name. */
export function changedFieldLabels(
  { changedSinceReview = [] }: ClientInfo,
  fields: readonly ClientField[],
  translator: Translator,
): readonly string[] {
  const labels = changedSinceReview.map((name) =>
    labelOf(fields.find((field) => field.name === name) ?? { name }, translator),
  );
  return [...new Set(labels)];
}

/** Says which secret a rotation is meant to replace. */
export function newestSecretOf({ secrets }: ClientInfo): string {
  return secrets[0]?.createdAt.toISOString() ?? '';
}

/** Why an application was refused lately, the most frequent first, each with what to do about it. */
export function describeFailures(counts: FailureCounts, { text }: Translator) {
  return [...counts].map(([reason, count]) => ({
    reason,
    times: text('authorization.times', { count }),
    meaning: FAILURE_MEANINGS[reason],
  }));
}
