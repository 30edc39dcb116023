import type { AuthMethodInfo } from '../../core/clients/auth-method-info.js';
import { usesRedirects } from '../../core/clients/client-checks.js';
import { findClientProblems, withDefaults } from '../../core/clients/client-metadata.js';
import { findClientIdProblem } from '../../core/clients/registry/client-service.js';
import { isScopeToken } from '../../shared/protocol/scope.js';
import { decideRedirectUris } from './redirect-uris.js';
import { decideMetadata } from './registered-metadata.js';
import { type Difference, LeftOut } from './report.js';
import { decideSecret } from './secrets.js';
import type { Migration, OldClient } from './source.js';
import { dateOf, isDocument, type Stored, textOf, textValuesOf } from './values.js';

const DEFAULT_GRANT_TYPES = ['authorization_code', 'refresh_token'];
const MAX_NAME_LENGTH = 100;

/**
 * Converts a client of another server. Every difference is reported.
 *
 * @throws LeftOut
 */
export async function decideClient(old: OldClient, migration: Migration) {
  const { options, fields, methods, now } = migration;
  const clientId = textOf(old.id);
  if (clientId === undefined) throw new LeftOut('it has no id (clients.id)');
  const idProblem = findClientIdProblem(clientId);
  if (idProblem !== undefined) throw new LeftOut(idProblem);

  // RFC 7591 §3.2.1: `client_secret_expires_at`, 0 if it never expires
  if (old.secretExpiresAt !== undefined && old.secretExpiresAt !== 0) {
    const end = dateOf(old.secretExpiresAt);
    if (end === undefined) throw new LeftOut('the end of its secret is no date');
    if (end <= now) throw new LeftOut('its secret has expired');
  }

  // a name that cannot be displayed is not stored
  const oldName = textOf(old.name) ?? '';
  const isDisplayed =
    oldName.trim() !== '' && oldName.length <= MAX_NAME_LENGTH && !/[\p{Cc}\p{Cf}]/u.test(oldName);
  const name = isDisplayed ? oldName : clientId.slice(0, MAX_NAME_LENGTH);

  // RFC 7591 §2: `token_endpoint_auth_method`; by its secret if the old server has no methods
  const method = methodOf(old, methods);
  const { credential } = method ?? { credential: 'secret' };
  const oldSecret = credential === 'secret' ? old.secret : undefined;
  const secret = await decideSecret(oldSecret, { clientId, name }, migration);
  const { secrets } = secret;
  if (method?.credential === 'secret' && secrets.length === 0)
    throw new LeftOut(`it authenticates by ${method.name} and has no secret`);

  // `grant_types`
  const oldGrantTypes = listAt(old.grantTypes, 'grantTypes');
  const fallback = options.grantTypes.length > 0 ? options.grantTypes : DEFAULT_GRANT_TYPES;
  const desired = oldGrantTypes.length > 0 ? oldGrantTypes : fallback;
  const grantTypes = desired.filter((each) => migration.grantTypes.includes(each));
  if (grantTypes.length === 0) throw new LeftOut(`there is none of its grant types: ${desired.join(', ')}`);

  // `redirect_uris`; without a grant type that uses them, they are dropped
  const oldUris = listAt(old.redirectUris, 'redirectUris');
  const isRedirected = usesRedirects(grantTypes);
  const { uris, decided } = decideRedirectUris(isRedirected ? oldUris : [], options);
  const refused = decided.find(({ decision }) => decision === 'refuse');
  if (refused !== undefined) throw new LeftOut(refused.reason, refused.option);

  const scopes = decideScopes(old, migration);
  const ownerId = textOf(old.owner);
  const converted = {
    name,
    type: credential === 'keys' || secrets.length > 0 ? 'confidential' : 'public',
    redirectUris: uris,
    scopes: scopes.value,
    grantTypes,
    // a user's application is not trusted, whatever the field meant at the old server
    trusted: old.trusted === true && ownerId === undefined,
    // both methods with a secret are possible
    tokenEndpointAuthMethod: credential === 'secret' ? undefined : method?.name,
    jwks: credential === 'keys' ? old.jwks : undefined,
    jwksUri: credential === 'keys' ? textOf(old.jwksUri) : undefined,
    ownerId,
  };

  // problems that registration would refuse, except those of redirect URIs, decided above
  const tokenEndpointAuthMethods = methods.map((each) => each.name);
  const limits = {
    scopes: scopes.value,
    grantTypes: migration.grantTypes,
    methods,
    tokenEndpointAuthMethods,
  };
  const complete = (client: Stored) => withDefaults(client, { limits, defaultScopes: [] }, fields);
  const findProblem = (client: Stored) =>
    findClientProblems(complete(client), limits, fields).find(
      ({ field, index }) => field !== 'redirectUris' || index === undefined,
    )?.problem;
  const problem = findProblem(converted);
  if (problem !== undefined) throw new LeftOut(problem);
  const oldMetadata = isDocument(old.metadata) ? old.metadata : {};
  const registered = decideMetadata(oldMetadata, fields, converted, findProblem);
  const metadata = complete({ ...converted, ...registered.value });

  const differences = decided.map(({ decision, reason, option }): Difference => ({
    reason: `${decision === 'take' ? 'taken' : 'left out'}: ${reason}`,
    option,
  }));
  if (!isRedirected && oldUris.length > 0)
    differences.push({ reason: 'left out: its redirect URIs, which none of its grant types uses' });
  differences.push(...secret.differences);
  for (const each of desired.filter((type) => !grantTypes.includes(type)))
    differences.push({ reason: `without the grant type ${each}, which there is not` });
  differences.push(...scopes.differences, ...registered.differences);
  if (name !== old.name)
    differences.push({ reason: 'it has no name that can be shown, so its id is its name' });
  if (metadata.trusted) differences.push({ reason: 'it is trusted: its users are not asked' });
  else if (old.trusted === true)
    differences.push({
      reason: 'it was trusted, and has an owner: its users are asked (`clients update ID --trusted`)',
    });
  return { client: { clientId, ...metadata, secrets, createdAt: now, updatedAt: now }, differences };
}

/** RFC 7591 §2; undefined if the old server has no methods. */
function methodOf({ authMethod }: OldClient, methods: readonly AuthMethodInfo[]): AuthMethodInfo | undefined {
  if (authMethod === undefined) return undefined;
  const name = textOf(authMethod) ?? 'something that is no text';
  const method = methods.find((each) => each.name === name);
  if (method === undefined)
    throw new LeftOut(`it authenticates by ${name.slice(0, 80)}, which there is not here`);
  if (method.readsSecret === true)
    throw new LeftOut(
      `it authenticates by ${name}, for which its secret is kept under clientAuthentication.secretKey: register it by code`,
    );
  // only a user can say which certificates count
  if (method.credential === 'certificate')
    throw new LeftOut(
      `it authenticates by ${name}: switch on the option mutualTls, and register it by code with its certificate`,
    );
  return method;
}

function decideScopes(old: OldClient, { options, scopes: siteScopes, scopesOfTokens }: Migration) {
  const registered = listAt(old.scopes, 'scopes');
  const fallback = options.scopes.length > 0 ? options.scopes : scopesOfTokens(old);
  const desired = [...new Set(registered.length > 0 ? registered : fallback)];
  const malformed = desired.find((scope) => !isScopeToken(scope));
  if (malformed !== undefined) throw new LeftOut(`'${malformed.slice(0, 80)}' is not a scope`);
  const isKnown = (scope: string) => siteScopes === undefined || siteScopes.includes(scope);
  const without = desired.filter((scope) => !isKnown(scope));
  const value = desired.filter(isKnown);
  const differences: Difference[] = without.map((scope) => ({
    reason: `without the scope ${scope}, which the site does not have`,
  }));
  if (registered.length === 0 && options.scopes.length === 0)
    differences.push({
      reason: value.length === 0 ? 'it may ask for no scope' : 'it may ask for the scopes of its tokens',
      option: '--scopes',
    });
  return { value, differences };
}

/** The list at a field of the mapping, or a text with blanks; empty if there is none. */
function listAt(value: unknown, field: string): readonly string[] {
  const list = value === undefined ? [] : textValuesOf(value);
  if (list === undefined) throw new LeftOut(`its ${field} are no list of texts (clients.${field})`);
  return list;
}
