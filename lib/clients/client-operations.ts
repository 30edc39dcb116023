import { randomUUID } from 'node:crypto';

import type { KeptSecrets } from '../crypto/kept-secrets.js';
import { OAuthError } from '../errors.js';
import type { Emit } from '../observability/events.js';
import type { Client, ClientMetadata, ClientType } from './client.js';
import { type ClientInfo, toClientInfo } from './client-info.js';
import {
  findClientProblems,
  NONE_OF_OPTIONAL,
  pickMetadata,
  type RegistrationLimits,
} from './client-metadata.js';
import type { ClientRegistry, ClientWithSecret, NewClient } from './client-registry.js';
import { createClientSecret, retireSecrets } from './client-secrets.js';
import type { ClientConsents, ClientGrants, ClientStore } from './client-store.js';
import { authenticatesBySecret, issueClientSecret, keepSecret } from './issue-client-secret.js';

/** The registry as the pages use it: whoever changes a client says where the event of it goes. */
export interface ClientOperations extends Pick<ClientRegistry, 'find' | 'listOfOwner' | 'limits'> {
  create(client: NewClient, emit: Emit): Promise<ClientWithSecret>;
  update(clientId: string, changes: Partial<ClientMetadata>, emit: Emit): Promise<ClientInfo | null>;
  rotateSecret(clientId: string, emit: Emit): Promise<ClientWithSecret | null>;
  endOldSecrets(clientId: string, emit: Emit): Promise<ClientInfo | null>;
  delete(clientId: string, emit: Emit): Promise<boolean>;
}

/** Where clients are kept, and what goes with them. */
export interface ClientStores {
  readonly clients: ClientStore;
  readonly grants: ClientGrants;
  readonly consents: ClientConsents;
}

export interface ClientOperationsOptions {
  readonly models: ClientStores;
  readonly limits: RegistrationLimits;
  readonly defaultScopes: readonly string[] | undefined;
  /** Seconds. */
  readonly secretOverlap: number;
  /** Undefined where the host gave no `clientSecretKey`. */
  readonly keptSecrets?: KeptSecrets | undefined;
}

const LIST_LIMIT = 200;

export function createClientOperations({
  models,
  limits,
  defaultScopes = limits.scopes,
  secretOverlap,
  keptSecrets,
}: ClientOperationsOptions): ClientOperations {
  const { clients, grants, consents } = models;

  return {
    limits,
    async create({ clientId = randomUUID(), clientSecret, ...given }, emit) {
      const type = given.type ?? usualTypeOf(given.tokenEndpointAuthMethod, clientSecret);
      const metadata = withDefaults({ ...given, type }, limits, defaultScopes);
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
    async update(clientId, changes, emit) {
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
    ...rotationOf({ models, keptSecrets, secretOverlap }),
    async delete(clientId, emit) {
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

/** The registry for code: there is no request, so its events all go to `emit`. Default: nobody is told. */
export function createClientRegistry(
  clients: ClientOperations,
  emit: Emit = () => undefined,
): ClientRegistry {
  return {
    limits: clients.limits,
    create: (client) => clients.create(client, emit),
    find: (clientId) => clients.find(clientId),
    update: (clientId, changes) => clients.update(clientId, changes, emit),
    rotateSecret: (clientId) => clients.rotateSecret(clientId, emit),
    endOldSecrets: (clientId) => clients.endOldSecrets(clientId, emit),
    delete: (clientId) => clients.delete(clientId, emit),
    listOfOwner: (ownerId) => clients.listOfOwner(ownerId),
  };
}

function rotationOf({
  models: { clients },
  keptSecrets,
  secretOverlap,
}: Pick<ClientOperationsOptions, 'models' | 'keptSecrets' | 'secretOverlap'>): Pick<
  ClientOperations,
  'rotateSecret' | 'endOldSecrets'
> {
  return {
    async rotateSecret(clientId, emit) {
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
    async endOldSecrets(clientId, emit) {
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

/** RFC 6749 §2.3.1: a secret that is the empty string may be left out, so it proves nothing. */
function usualTypeOf(method: string | undefined, clientSecret: string | undefined): ClientType {
  return method === 'none' || clientSecret === '' ? 'public' : 'confidential';
}

function withDefaults(
  given: Omit<NewClient, 'clientId' | 'clientSecret'> & Pick<ClientMetadata, 'type'>,
  limits: RegistrationLimits,
  defaultScopes: readonly string[],
): ClientMetadata {
  const { type, redirectUris = [], scopes = defaultScopes, trusted = false, grantTypes, ...rest } = given;
  const usual = ['authorization_code', 'refresh_token'].filter((grantType) =>
    limits.grantTypes.includes(grantType),
  );
  return pickMetadata({ ...rest, type, redirectUris, scopes, trusted, grantTypes: grantTypes ?? usual });
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

function withSecret(client: Client, clientSecret: string | undefined): ClientWithSecret {
  return { ...toClientInfo(client), ...(clientSecret !== undefined && { clientSecret }) };
}
