import { randomUUID } from 'node:crypto';

import type { KeptSecrets } from '../crypto/kept-secrets.js';
import { OAuthError } from '../errors.js';
import type { Emit } from '../observability/events.js';
import type { Client, ClientSecret } from './client.js';
import type { ClientMetadata } from './client.js';
import { findClientProblems, type RegistrationLimits } from './client-metadata.js';
import { createClientSecret, retireSecrets } from './client-secrets.js';
import type { ClientConsents, ClientGrants, ClientStore } from './client-store.js';
import { authenticatesBySecret, issueClientSecret, keepSecret } from './issue-client-secret.js';

/** A registered client as the host sees it: no secrets. */
export interface ClientInfo extends ClientMetadata {
  readonly clientId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** There, and true, where the client registered itself (RFC 7591): what it says of itself is not verified. */
  readonly selfRegistered?: true;
  /** When each secret that works was made, and until when it works; the newest first. */
  readonly secrets: readonly { readonly createdAt: Date; readonly expiresAt?: Date }[];
}

/** A client with its new secret, which is shown this once and cannot be read again. */
export interface ClientWithSecret extends ClientInfo {
  /** Absent for a public client. */
  readonly clientSecret?: string;
}

/** What `clients.create` takes; everything but the name has a default. */
export interface NewClient extends Partial<Omit<ClientMetadata, 'name'>> {
  /** As the consent page shows it. */
  readonly name: string;
  /** Default: a random UUID. Printable ASCII. (RFC 6749 §2.2) */
  readonly clientId?: string;
  /** A secret the client has already; default for a confidential client: a new random one. Stored by bcrypt. */
  readonly clientSecret?: string;
}

/** Registers and changes clients from code: seeds, scripts, the applications page. */
export interface ClientRegistry {
  /**
   * Registers a client. Defaults: `type` confidential, `grantTypes` authorization_code and refresh_token as far as
   * they are on, `scopes` the default ones of the server, `trusted` false.
   *
   * @throws OAuthError invalid_redirect_uri or invalid_client_metadata (RFC 7591 §3.2.2)
   */
  create(client: NewClient): Promise<ClientWithSecret>;
  find(clientId: string): Promise<ClientInfo | null>;
  /** @throws OAuthError as `create`; resolves to null where there is no such client */
  update(clientId: string, changes: Partial<ClientMetadata>): Promise<ClientInfo | null>;
  /** Makes a new secret; the one before works for `secretOverlap` seconds more. */
  rotateSecret(clientId: string): Promise<ClientWithSecret | null>;
  /** Ends the old secret of a rotation now, before its time. @returns null where there is no such client */
  endOldSecrets(clientId: string): Promise<ClientInfo | null>;
  /** Deletes the client with its grants and consents; its tokens end at once. False where there was none. */
  delete(clientId: string): Promise<boolean>;
  /** The clients a user has registered, the newest first, at most 200. */
  listOfOwner(ownerId: string): Promise<ClientInfo[]>;
  /** What clients can be registered for here. */
  readonly limits: RegistrationLimits;
}

/** Where clients are kept, and what goes with them. */
export interface ClientStores {
  readonly clients: ClientStore;
  readonly grants: ClientGrants;
  readonly consents: ClientConsents;
}

export interface ClientRegistryOptions {
  readonly models: ClientStores;
  readonly limits: RegistrationLimits;
  readonly defaultScopes: readonly string[] | undefined;
  /** Seconds. */
  readonly secretOverlap: number;
  /** Undefined where the host gave no `clientSecretKey`. */
  readonly keptSecrets?: KeptSecrets | undefined;
  /** Default: nobody is told. */
  readonly emit?: Emit;
}

const LIST_LIMIT = 200;

export function createClientRegistry({
  models,
  limits,
  defaultScopes = limits.scopes,
  secretOverlap,
  keptSecrets,
  emit = () => undefined,
}: ClientRegistryOptions): ClientRegistry {
  const { clients, grants, consents } = models;

  return {
    limits,
    async create({ clientId = randomUUID(), clientSecret, ...given }) {
      const metadata = withDefaults(given, limits, defaultScopes);
      checkMetadata(metadata, limits);
      checkClientId(clientId);
      const now = new Date();
      const secret = await issueClientSecret({ clientId, metadata, given: clientSecret, now, keptSecrets });
      const client: Client = {
        clientId,
        ...metadata,
        secrets: secret === undefined ? [] : [secret.stored],
        createdAt: now,
        updatedAt: now,
      };
      if (!(await clients.insert(client)))
        throw new OAuthError('invalid_client_metadata', `there is a client ${clientId} already`);
      emit('client.created', factsOf(client));
      return withSecret(client, secret?.secret);
    },
    async find(clientId) {
      const client = await clients.find(clientId);
      return client === null ? null : toClientInfo(client);
    },
    async update(clientId, changes) {
      const current = await clients.find(clientId);
      if (current === null) return null;
      const metadata = pickMetadata({ ...current, ...changes });
      checkMetadata(metadata, limits);
      // a client's type says whether it has a secret: that is settled when it is registered
      if (metadata.type !== current.type)
        throw new OAuthError(
          'invalid_client_metadata',
          'the type of a client cannot be changed; register another client',
        );
      const updated = await clients.update(clientId, { ...NONE_OF_OPTIONAL, ...metadata }, new Date());
      if (updated === null) return null;
      // a client that somebody of this site has looked at is not removed for not being used yet
      if (metadata.trusted || metadata.verified === true) await clients.keep(current);
      // a secret that was put aside for keys must not come back to life with the next change
      if (!authenticatesBySecret(metadata) && current.secrets.length > 0)
        await clients.replaceSecrets(clientId, current.secrets[0]?.hash, []);
      emit('client.updated', factsOf(updated));
      return toClientInfo(updated);
    },
    ...rotationOf({ models, keptSecrets, secretOverlap, emit }),
    async delete(clientId) {
      // the client goes last, so that a try that failed half way can be repeated
      const before = await grants.revokeAll({ clientId }, new Date());
      await consents.forget({ clientId });
      const existed = await clients.delete(clientId);
      // what it got while this went on
      const meanwhile = await grants.revokeAll({ clientId }, new Date());
      if (existed) emit('client.deleted', { clientId, count: before + meanwhile });
      return existed;
    },
    async listOfOwner(ownerId) {
      return (await clients.listOfOwner(ownerId, LIST_LIMIT)).map(toClientInfo);
    },
  };
}

function rotationOf({
  models: { clients },
  keptSecrets,
  secretOverlap,
  emit,
}: Pick<ClientRegistryOptions, 'models' | 'keptSecrets' | 'secretOverlap'> & { readonly emit: Emit }): Pick<
  ClientRegistry,
  'rotateSecret' | 'endOldSecrets'
> {
  return {
    async rotateSecret(clientId) {
      const current = await clients.find(clientId);
      if (current === null) return null;
      if (current.type === 'public')
        throw new OAuthError('invalid_client_metadata', 'a public client has no secret');
      const now = new Date();
      if (!authenticatesBySecret(current))
        throw new OAuthError(
          'invalid_client_metadata',
          'the client authenticates by its keys and has no secret',
        );
      const { secret, stored } = await keepSecret(createClientSecret(now), {
        clientId,
        metadata: current,
        keptSecrets,
      });
      const secrets = [stored, ...retireSecrets(current.secrets, now, secretOverlap)];
      if (!(await clients.replaceSecrets(clientId, current.secrets[0]?.hash, secrets)))
        throw rotatedMeanwhile();
      emit('client.secret_rotated', factsOf(current));
      return withSecret({ ...current, secrets }, secret);
    },
    async endOldSecrets(clientId) {
      const current = await clients.find(clientId);
      if (current === null) return null;
      const secrets = current.secrets.slice(0, 1);
      if (!(await clients.replaceSecrets(clientId, secrets[0]?.hash, secrets))) throw rotatedMeanwhile();
      emit('client.updated', factsOf(current));
      return toClientInfo({ ...current, secrets });
    },
  };
}

function rotatedMeanwhile(): OAuthError {
  return new OAuthError(
    'invalid_client_metadata',
    'the secret was rotated by somebody else at the same moment',
    { status: 409 },
  );
}

/** What the events of a client say: its id, and as the user the developer who registered it. */
function factsOf({ clientId, ownerId }: Client): { clientId: string; userId?: string } {
  return { clientId, ...(ownerId !== undefined && { userId: ownerId }) };
}

function withDefaults(
  given: Omit<NewClient, 'clientId' | 'clientSecret'>,
  limits: RegistrationLimits,
  defaultScopes: readonly string[],
): ClientMetadata {
  const {
    type = given.tokenEndpointAuthMethod === 'none' ? 'public' : 'confidential',
    redirectUris = [],
    scopes = defaultScopes,
    trusted = false,
    grantTypes,
    ...rest
  } = given;
  const usual = ['authorization_code', 'refresh_token'].filter((grantType) =>
    limits.grantTypes.includes(grantType),
  );
  return pickMetadata({ ...rest, type, redirectUris, scopes, trusted, grantTypes: grantTypes ?? usual });
}

function pickMetadata(metadata: ClientMetadata): ClientMetadata {
  const { name, type, redirectUris, scopes, grantTypes, trusted, introspection, verified, logoUri, ownerId } =
    metadata;
  const unique = (values: readonly string[]) => [...new Set(values)];
  return {
    name,
    type,
    redirectUris: unique(redirectUris),
    scopes: unique(scopes),
    grantTypes: unique(grantTypes),
    trusted,
    ...(introspection !== undefined && { introspection }),
    ...(verified !== undefined && { verified }),
    ...(logoUri !== undefined && { logoUri }),
    ...(ownerId !== undefined && { ownerId }),
    ...pickOptional(metadata),
  };
}

const OPTIONAL = [
  'resources',
  'tokenEndpointAuthMethod',
  'jwks',
  'jwksUri',
  'accessTokenTtl',
  'refreshTokenTtl',
] as const;
/** An update is of all metadata: what is not among it any more goes. */
const NONE_OF_OPTIONAL = Object.fromEntries(
  OPTIONAL.map((name): [string, undefined] => [name, undefined]),
) as Partial<ClientMetadata>;

function pickOptional(metadata: ClientMetadata): Partial<ClientMetadata> {
  const given = Object.fromEntries(
    OPTIONAL.filter((name) => metadata[name] !== undefined).map((name): [string, unknown] => [
      name,
      metadata[name],
    ]),
  );
  // who has keys authenticates by them, unless something else is said
  return metadata.jwks === undefined && metadata.jwksUri === undefined
    ? given
    : { tokenEndpointAuthMethod: 'private_key_jwt', ...given };
}

function checkMetadata(metadata: ClientMetadata, limits: RegistrationLimits): void {
  const [first] = findClientProblems(metadata, limits);
  if (first === undefined) return;
  throw new OAuthError(
    first.field === 'redirectUris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    first.problem,
  );
}

/** RFC 6749 Appendix A.1: client-id = *VSCHAR */
function checkClientId(clientId: string): void {
  if (!/^[\x21-\x7e]{1,200}$/.test(clientId))
    throw new OAuthError(
      'invalid_client_metadata',
      'clientId must be 1 to 200 printable ASCII characters without space',
    );
}

/** What may be shown of a stored client: named field by field, so that no hash slips through. */
export function toClientInfo({
  clientId,
  secrets,
  createdAt,
  updatedAt,
  registration,
  ...metadata
}: Client): ClientInfo {
  const isLive = ({ expiresAt }: ClientSecret) => expiresAt === undefined || expiresAt > new Date();
  return {
    clientId,
    ...pickMetadata(metadata),
    createdAt,
    updatedAt,
    ...(registration && { selfRegistered: true }),
    secrets: secrets.filter(isLive).map((secret) => ({
      createdAt: secret.createdAt,
      ...(secret.expiresAt && { expiresAt: secret.expiresAt }),
    })),
  };
}

function withSecret(client: Client, clientSecret: string | undefined): ClientWithSecret {
  return { ...toClientInfo(client), ...(clientSecret !== undefined && { clientSecret }) };
}
