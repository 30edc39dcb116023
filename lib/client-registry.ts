import { randomUUID } from 'node:crypto';
import { OAuthError } from './errors.js';
import type { ClientMetadata, StoredClient, StoredSecret } from './models/clients.js';
import type { Models } from './models/index.js';
import { isDuplicateKey } from './models/storage.js';
import { findClientProblems, type RegistrationLimits } from './protocol/client-metadata.js';
import { createClientSecret, importClientSecret } from './tokens/client-secrets.js';

/** A registered client as the host sees it: no secrets. */
export interface Client extends ClientMetadata {
  readonly clientId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When each secret that works was made, and until when it works; the newest first. */
  readonly secrets: readonly { readonly createdAt: Date; readonly expiresAt?: Date }[];
}

/** A client with its new secret, which is shown this once and cannot be read again. */
export interface ClientWithSecret extends Client {
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
  find(clientId: string): Promise<Client | null>;
  /** @throws OAuthError as `create`; resolves to null where there is no such client */
  update(clientId: string, changes: Partial<ClientMetadata>): Promise<Client | null>;
  /** Makes a new secret; the one before works for `secretOverlap` seconds more. */
  rotateSecret(clientId: string): Promise<ClientWithSecret | null>;
  /** Deletes the client with its grants and consents; its tokens end at once. False where there was none. */
  delete(clientId: string): Promise<boolean>;
  /** The clients a user has registered, the newest first, at most 200. */
  listOfOwner(ownerId: string): Promise<Client[]>;
  /** What clients can be registered for here. */
  readonly limits: RegistrationLimits;
}

export interface ClientRegistryOptions {
  readonly models: Models;
  readonly limits: RegistrationLimits;
  readonly defaultScopes: readonly string[] | undefined;
  /** Seconds. */
  readonly secretOverlap: number;
}

const LIST_LIMIT = 200;

export function createClientRegistry({ models, limits, defaultScopes = limits.scopes, secretOverlap }: ClientRegistryOptions): ClientRegistry {
  const { clients, grants, consents } = models;

  return {
    limits,
    async create({ clientId = randomUUID(), clientSecret, ...given }) {
      const metadata = withDefaults(given, limits, defaultScopes);
      checkMetadata(metadata, limits);
      checkClientId(clientId);
      const now = new Date();
      const secret = await newSecret(metadata, clientSecret, now);
      const client: StoredClient = { _id: clientId, ...metadata, secrets: secret === undefined ? [] : [secret.stored], createdAt: now, updatedAt: now };
      await clients.insert(client).catch((error: unknown) => {
        throw isDuplicateKey(error) ? new OAuthError('invalid_client_metadata', `there is a client ${clientId} already`) : error;
      });
      return withSecret(client, secret?.secret);
    },
    async find(clientId) {
      const client = await clients.find(clientId);
      return client === null ? null : toClient(client);
    },
    async update(clientId, changes) {
      const current = await clients.find(clientId);
      if (current === null) return null;
      const metadata = pickMetadata({ ...current, ...changes });
      checkMetadata(metadata, limits);
      // a client's type says whether it has a secret: that is settled when it is registered
      if (metadata.type !== current.type) throw new OAuthError('invalid_client_metadata', 'the type of a client cannot be changed; register another client');
      const updated = await clients.update(clientId, metadata, new Date());
      return updated === null ? null : toClient(updated);
    },
    async rotateSecret(clientId) {
      const current = await clients.find(clientId);
      if (current === null) return null;
      if (current.type === 'public') throw new OAuthError('invalid_client_metadata', 'a public client has no secret');
      const now = new Date();
      const { secret, stored } = createClientSecret(now);
      const secrets = [stored, ...retire(current.secrets, now, secretOverlap)];
      if (!(await clients.replaceSecrets(clientId, current.secrets[0]?.hash, secrets))) {
        throw new OAuthError('invalid_client_metadata', 'the secret was rotated by somebody else at the same moment', { status: 409 });
      }
      return withSecret({ ...current, secrets }, secret);
    },
    async delete(clientId) {
      // the client goes last, so that a try that failed half way can be repeated
      await grants.revokeAll({ clientId }, new Date());
      await consents.forget({ clientId });
      const existed = await clients.delete(clientId);
      // what it got while this went on
      await grants.revokeAll({ clientId }, new Date());
      return existed;
    },
    async listOfOwner(ownerId) {
      return (await clients.listOfOwner(ownerId, LIST_LIMIT)).map(toClient);
    },
  };
}

function withDefaults(given: Omit<NewClient, 'clientId' | 'clientSecret'>, limits: RegistrationLimits, defaultScopes: readonly string[]): ClientMetadata {
  const { type = 'confidential', redirectUris = [], scopes = defaultScopes, trusted = false, grantTypes, ...rest } = given;
  const usual = ['authorization_code', 'refresh_token'].filter((grantType) => limits.grantTypes.includes(grantType));
  return pickMetadata({ ...rest, type, redirectUris, scopes, trusted, grantTypes: grantTypes ?? usual });
}

function pickMetadata({ name, type, redirectUris, scopes, grantTypes, trusted, introspection, verified, logoUri, ownerId }: ClientMetadata): ClientMetadata {
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
  };
}

function checkMetadata(metadata: ClientMetadata, limits: RegistrationLimits): void {
  const [first] = findClientProblems(metadata, limits);
  if (first === undefined) return;
  throw new OAuthError(first.field === 'redirectUris' ? 'invalid_redirect_uri' : 'invalid_client_metadata', first.problem);
}

/** RFC 6749 Appendix A.1: client-id = *VSCHAR */
function checkClientId(clientId: string): void {
  if (!/^[\x21-\x7e]{1,200}$/.test(clientId)) throw new OAuthError('invalid_client_metadata', 'clientId must be 1 to 200 printable ASCII characters without space');
}

async function newSecret({ type }: ClientMetadata, given: string | undefined, now: Date) {
  if (type === 'public') {
    // RFC 6749 §2.3.1: a client whose secret is empty may leave it out, which is what public means here
    if (given !== undefined && given !== '') throw new OAuthError('invalid_client_metadata', 'a public client cannot keep a secret: leave clientSecret out or register it as confidential');
    return undefined;
  }
  if (given === '') throw new OAuthError('invalid_client_metadata', 'an empty secret authenticates nobody: leave clientSecret out and one is made, or register the client as public');
  return given === undefined ? createClientSecret(now) : importClientSecret(given, now);
}

/** The newest of the old secrets works a while longer, the others end now. */
function retire(secrets: readonly StoredSecret[], now: Date, overlap: number): StoredSecret[] {
  const [newest] = secrets;
  if (newest === undefined || overlap === 0) return [];
  return [{ ...newest, expiresAt: new Date(now.getTime() + overlap * 1000) }];
}

function toClient({ _id, secrets, createdAt, updatedAt, ...metadata }: StoredClient): Client {
  const isLive = ({ expiresAt }: StoredSecret) => expiresAt === undefined || expiresAt > new Date();
  return {
    clientId: _id,
    ...pickMetadata(metadata),
    createdAt,
    updatedAt,
    secrets: secrets.filter(isLive).map((secret) => ({ createdAt: secret.createdAt, ...(secret.expiresAt && { expiresAt: secret.expiresAt }) })),
  };
}

function withSecret(client: StoredClient, clientSecret: string | undefined): ClientWithSecret {
  return { ...toClient(client), ...(clientSecret !== undefined && { clientSecret }) };
}
