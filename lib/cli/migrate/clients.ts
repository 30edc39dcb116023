import type { AuthMethodInfo } from '../../core/clients/auth-method-info.js';
import type { Client, ClientMetadata } from '../../core/clients/client.js';
import { usesRedirects } from '../../core/clients/client-checks.js';
import type { ClientField, RegistrationLimits } from '../../core/clients/client-field.js';
import { findClientProblems, withDefaults } from '../../core/clients/client-metadata.js';
import { findClientIdProblem } from '../../core/clients/registry/client-service.js';
import { isScopeToken } from '../../shared/protocol/scope.js';
import { LeftOut } from './left-out.js';
import type { MigrateOptions } from './options.js';
import { decideRedirectUris } from './redirect-uris.js';
import { decideMetadata } from './registered-metadata.js';
import type { Difference } from './report.js';
import { decideSecret } from './secrets.js';
import type { OldClient } from './source.js';
import { dateOf, documentOf, type Stored, textOf, textValuesOf } from './values.js';

/** A client of ours, and how it differs from the old one. */
export interface DecidedClient {
  readonly client: Client;
  readonly differences: readonly Difference[];
}

/** A part of a client, and how it differs from the old one. */
interface Decided<T> {
  readonly value: T;
  readonly differences: readonly Difference[];
}

export interface ClientRules {
  readonly options: MigrateOptions;
  readonly fields: readonly ClientField[];
  /** The grant types that a client can have here. */
  readonly grantTypes: readonly string[];
  /** The traits of the authentication methods. */
  readonly methods: readonly AuthMethodInfo[];
  /** The scopes that the site has, if they are known. */
  readonly scopes: readonly string[] | undefined;
  /** The scopes of a client's tokens. */
  readonly scopesOfTokens: (client: OldClient) => readonly string[];
  readonly now: Date;
}

const DEFAULT_GRANT_TYPES = ['authorization_code', 'refresh_token'];
const MAX_NAME_LENGTH = 100;

/**
 * Makes a client of ours from another server's. Whatever cannot stay as it was is always reported.
 *
 * @throws LeftOut
 */
export async function decideClient(old: OldClient, rules: ClientRules): Promise<DecidedClient> {
  const { now, fields } = rules;
  const clientId = textOf(old.id);
  if (clientId === undefined) throw new LeftOut('it has no id (clients.id)');
  refuse(findClientIdProblem(clientId));
  refuse(findExpiryProblem(old, now));
  const method = methodOf(old, rules);
  // with its secret if the old server does not know methods
  const { credential } = method ?? { credential: 'secret' };
  const name = nameOf(old, clientId);
  const secret = await decideSecret(credential === 'secret' ? old.secret : undefined, {
    ...rules,
    clientId,
    name,
  });
  refuse(findSecretProblem(method, secret.secrets.length));
  const grants = decideGrantTypes(old, rules);
  const redirects = usesRedirects(grants.value) ? decideUris(old, rules) : withoutUris(old);
  const scopes = decideScopes(old, rules);
  const given = {
    name,
    type: credential === 'keys' || secret.secrets.length > 0 ? 'confidential' : 'public',
    redirectUris: redirects.value,
    scopes: scopes.value,
    grantTypes: grants.value,
    ...metadataOf(old, method),
  };
  const limits = limitsOf(given, rules);
  const complete = (client: Stored) => withDefaults(client, { limits, defaultScopes: [] }, fields);
  const problemOf = (client: Stored) => findProblem(complete(client), limits, fields);
  refuse(problemOf(given));
  const registered = decideMetadata(documentOf(old.metadata), fields, { given, findProblem: problemOf });
  const metadata = complete({ ...given, ...registered.value });
  return {
    client: { clientId, ...metadata, secrets: secret.secrets, createdAt: now, updatedAt: now },
    differences: [
      ...[redirects, secret, grants, scopes, registered].flatMap(({ differences }) => differences),
      ...(name === old.name ? [] : [{ reason: 'it has no name that can be shown, so its id is its name' }]),
      ...(metadata.trusted ? [{ reason: 'it is trusted: its users are not asked' }] : []),
      ...(old.trusted === true && !metadata.trusted
        ? [
            {
              reason: 'it was trusted, and has an owner: its users are asked (`clients update ID --trusted`)',
            },
          ]
        : []),
    ],
  };
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new LeftOut(problem);
}

function findSecretProblem(method: AuthMethodInfo | undefined, count: number): string | undefined {
  return method?.credential === 'secret' && count === 0
    ? `it authenticates by ${method.name} and has no secret`
    : undefined;
}

function metadataOf({ trusted, owner, jwks, jwksUri }: OldClient, method: AuthMethodInfo | undefined) {
  const ownerId = textOf(owner);
  return {
    // somebody's own application is not the site's, whatever such a field meant there
    trusted: trusted === true && ownerId === undefined,
    // it may send its secret in either of two ways
    ...(method !== undefined && method.credential !== 'secret' && { tokenEndpointAuthMethod: method.name }),
    ...(method?.credential === 'keys' && { jwks, jwksUri: textOf(jwksUri) }),
    ...(ownerId !== undefined && { ownerId }),
  };
}

/** The problem that registration would find, except with redirect URIs, which were already decided on. */
function findProblem(
  metadata: ClientMetadata,
  limits: RegistrationLimits,
  fields: readonly ClientField[],
): string | undefined {
  return findClientProblems(metadata, limits, fields).find(
    ({ field, index }) => field !== 'redirectUris' || index === undefined,
  )?.problem;
}

function limitsOf(
  { scopes }: { readonly scopes: readonly string[] },
  { grantTypes, methods }: ClientRules,
): RegistrationLimits {
  return { scopes, grantTypes, methods, tokenEndpointAuthMethods: methods.map(({ name }) => name) };
}

/** RFC 7591 §2; undefined if the old server does not know methods. */
function methodOf({ authMethod }: OldClient, { methods }: ClientRules): AuthMethodInfo | undefined {
  if (authMethod === undefined) return undefined;
  const name = textOf(authMethod) ?? 'something that is no text';
  const method = methods.find((each) => each.name === name);
  if (method === undefined)
    throw new LeftOut(`it authenticates by ${name.slice(0, 80)}, which there is not here`);
  if (method.readsSecret === true)
    throw new LeftOut(
      `it authenticates by ${name}, for which its secret is kept under clientAuthentication.secretKey: register it by code`,
    );
  // a user has to say which of its certificates count
  if (method.credential === 'certificate')
    throw new LeftOut(
      `it authenticates by ${name}: switch on the option mutualTls, and register it by code with its certificate`,
    );
  return method;
}

/** RFC 7591 §3.2.1: 0 if it never expires. */
function findExpiryProblem({ secretExpiresAt }: OldClient, now: Date): string | undefined {
  if (secretExpiresAt === undefined || secretExpiresAt === 0) return undefined;
  const end = dateOf(secretExpiresAt);
  if (end === undefined) return 'the end of its secret is no date';
  return end <= now ? 'its secret has expired' : undefined;
}

/** A name that cannot be shown is not stored; the client's id replaces it. */
function nameOf({ name }: OldClient, clientId: string): string {
  const given = textOf(name) ?? '';
  const isDisplayed =
    given.trim() !== '' && given.length <= MAX_NAME_LENGTH && !/[\p{Cc}\p{Cf}]/u.test(given);
  return isDisplayed ? given : clientId.slice(0, MAX_NAME_LENGTH);
}

function decideUris(old: OldClient, { options }: ClientRules): Decided<readonly string[]> {
  const given = listAt(old.redirectUris, 'redirectUris');
  const { uris, decided } = decideRedirectUris(given, options);
  const refused = decided.find(({ decision }) => decision === 'refuse');
  if (refused !== undefined) throw new LeftOut(refused.reason, refused.option);
  const differences = decided.map(({ decision, reason, option }) => ({
    reason: `${decision === 'take' ? 'taken' : 'left out'}: ${reason}`,
    option,
  }));
  return { value: uris, differences };
}

/** Nothing that the client has would send anybody there. */
function withoutUris(old: OldClient): Decided<readonly string[]> {
  const { length } = listAt(old.redirectUris, 'redirectUris');
  const differences = [{ reason: 'left out: its redirect URIs, which none of its grant types uses' }];
  return { value: [], differences: length > 0 ? differences : [] };
}

function decideGrantTypes(
  old: OldClient,
  { options, grantTypes: known }: ClientRules,
): Decided<readonly string[]> {
  const given = listAt(old.grantTypes, 'grantTypes');
  const fallback = options.grantTypes.length > 0 ? options.grantTypes : DEFAULT_GRANT_TYPES;
  const desired = given.length > 0 ? given : fallback;
  const value = desired.filter((name) => known.includes(name));
  if (value.length === 0) throw new LeftOut(`there is none of its grant types: ${desired.join(', ')}`);
  const unknown = desired.filter((name) => !known.includes(name));
  return {
    value,
    differences: unknown.map((name) => ({ reason: `without the grant type ${name}, which there is not` })),
  };
}

function decideScopes(
  old: OldClient,
  { options, scopes: known, scopesOfTokens }: ClientRules,
): Decided<readonly string[]> {
  const given = listAt(old.scopes, 'scopes');
  const fallback = options.scopes.length > 0 ? options.scopes : scopesOfTokens(old);
  const desired = [...new Set(given.length > 0 ? given : fallback)];
  const malformed = desired.find((scope) => !isScopeToken(scope));
  if (malformed !== undefined) throw new LeftOut(`'${malformed.slice(0, 80)}' is not a scope`);
  const isKnown = (scope: string) => known === undefined || known.includes(scope);
  const without = desired.filter((scope) => !isKnown(scope));
  const value = desired.filter(isKnown);
  const isGuessed = given.length === 0 && options.scopes.length === 0;
  const guess = value.length === 0 ? 'it may ask for no scope' : 'it may ask for the scopes of its tokens';
  return {
    value,
    differences: [
      ...without.map((scope) => ({ reason: `without the scope ${scope}, which the site does not have` })),
      ...(isGuessed ? [{ reason: guess, option: '--scopes' }] : []),
    ],
  };
}

/** The list at a field of the mapping, or a text with blanks; empty if there is none. */
function listAt(value: unknown, field: string): readonly string[] {
  const list = value === undefined ? [] : textValuesOf(value);
  if (list === undefined) throw new LeftOut(`its ${field} are no list of texts (clients.${field})`);
  return list;
}
