import { randomUUID } from 'node:crypto';

import { checkNames } from '../../../settings/table/parse-options.js';
import type { SealedSecrets } from '../../../shared/crypto/sealed-secrets.js';
import { OAuthError } from '../../../shared/errors.js';
import type { Client, ClientSecret } from '../client.js';
import type { ClientField, RegistrationLimits } from '../client-field.js';
import { CLIENT_FIELDS } from '../client-fields.js';
import { checkMetadata, withDefaults } from '../client-metadata.js';
import type { ClientStore, ClientStores } from '../client-store.js';
import { createClientSecret, retireSecrets } from '../secrets/client-secrets.js';
import { authenticatesBySecret, issueClientSecret, keepSecret } from '../secrets/issue-client-secret.js';
import type { SecretUses } from '../secrets/secret-last-used.js';
import { checkNameIsFree, findProtectedName, type NameChange } from '../validation/protected-names.js';
import { checkSector } from '../validation/sector-identifier.js';
import type { ClientProblem } from '../validation-error.js';
import { type ClientInfo, toClientInfo } from './client-info.js';
import type {
  BlockOptions,
  ClientChanges,
  ClientRegistry,
  ClientWithSecret,
  NewClient,
} from './client-registry.js';
import { approveClient, blockClient, isChange, unblockClient } from './client-status.js';
import { deleteClient } from './delete-client.js';
import { checkNamedClients } from './named-clients.js';
import { ownerLimitsOf, withAllowed } from './owner-limits.js';
import { createOwnership, type Ownership } from './owners.js';
import {
  type Change,
  changeClient,
  type ChangeOptions,
  type OperationContext,
  pickCustom,
} from './update-client.js';

/** The registry as the pages use it: each change says when it happens, and where its event goes. */
export interface ClientService extends Pick<ClientRegistry, 'find' | 'listOfOwner' | 'limits'>, Ownership {
  /** What a client can be registered with. */
  readonly fields: readonly ClientField[];
  create(
    client: NewClient,
    act: OperationContext,
    options?: Pick<ChangeOptions, 'by'>,
  ): Promise<ClientWithSecret>;
  /** If an owner gives a client another name or redirect URI, users who allowed it are asked again. */
  update(
    clientId: string,
    changes: ClientChanges,
    act: OperationContext,
    options?: ChangeOptions,
  ): Promise<ClientInfo | null>;
  /** What is wrong with a name that an owner gives a client, beside what `limits` say; undefined if nothing is. */
  findNameProblem(...given: NameChange): Promise<ClientProblem | undefined>;
  /** What the owner of a client can choose for it; without such a client, what they can choose for a new one. */
  ownerLimitsOf(clientId?: string): Promise<RegistrationLimits>;
  rotateSecret(clientId: string, act: OperationContext): Promise<ClientWithSecret | null>;
  revokeOldSecrets(clientId: string, act: OperationContext): Promise<ClientInfo | null>;
  delete(clientId: string, act: OperationContext): Promise<boolean>;
  /** If a client is blocked already, a reason that is given replaces the old one. */
  block(
    clientId: string,
    act: OperationContext,
    options?: BlockOptions & Pick<ChangeOptions, 'expectedUpdatedAt'>,
  ): Promise<ClientInfo | null>;
  unblock(
    clientId: string,
    act: OperationContext,
    options?: Pick<ChangeOptions, 'expectedUpdatedAt'>,
  ): Promise<ClientInfo | null>;
  approve(
    clientId: string,
    act: OperationContext,
    options?: Pick<ChangeOptions, 'expectedUpdatedAt'>,
  ): Promise<ClientInfo | null>;
}

export interface ClientServiceOptions {
  readonly models: ClientStores;
  readonly limits: RegistrationLimits;
  /** What developers can choose for their clients. Default: all of `limits`. */
  readonly applications?: Pick<RegistrationLimits, 'scopes' | 'grantTypes' | 'redirectUriRules'> & {
    /** Whether what developers register waits for approval. Default: it does not. */
    readonly approval?: boolean;
  };
  readonly defaultScopes: readonly string[] | undefined;
  /** Seconds. */
  readonly secretOverlap: number;
  /** What a client can be registered with. Default: `CLIENT_FIELDS`. */
  readonly fields?: readonly ClientField[];
  /** Undefined if the site gave no `clientAuthentication.secretKey`. */
  readonly sealedSecrets?: SealedSecrets | undefined;
  /** Notes which secrets are used. Default: nothing waits to be stored. */
  readonly secretUses?: Pick<SecretUses, 'flush'> | undefined;
}

export function createClientService({
  models,
  limits,
  applications,
  defaultScopes = limits.scopes,
  secretOverlap,
  sealedSecrets,
  secretUses,
  fields = CLIENT_FIELDS,
}: ClientServiceOptions): ClientService {
  const { clients, consents } = models;
  const { customFields = [] } = clients;
  const names = [...fields.map(({ name }) => name), ...customFields];
  const toInfo = (client: Client, now: Date) => toClientInfo(client, now, fields);
  const { approval = false, ...choices } = applications ?? {};
  const ownerLimits = { ...limits, ...choices };
  const keeping = { sealedSecrets, methods: limits.methods };

  return {
    limits,
    fields,
    async create(given, { emit, now, getCaller }, { by = 'host' } = {}) {
      checkNames('clients.create', [...names, 'clientId', 'clientSecret'], given);
      const { clientId = randomUUID(), clientSecret } = given;
      const metadata = withDefaults({ ...given }, { limits, defaultScopes }, fields);
      checkMetadata(metadata, by === 'owner' ? ownerLimits : limits, fields);
      checkClientId(clientId);
      checkSecretShape(clientSecret);
      if (by === 'owner') await checkNameIsFree(clients, { ...metadata, clientId });
      await checkNamedClients(clients, fields, metadata);
      await checkSector({ ...metadata, clientId }, limits, { getCaller });
      const secret = await issueClientSecret({ clientId, metadata, given: clientSecret, now, ...keeping });
      const client: Client = {
        clientId,
        ...metadata,
        custom: pickCustom(given, customFields),
        ...(by === 'host' ? withAllowed({}, given) : approval && { awaitsApprovalSince: now }),
        secrets: storedOf(secret),
        createdAt: now,
        updatedAt: now,
      };
      const stored = await clients.insert(client);
      if (stored === null)
        throw new OAuthError('invalid_client_metadata', `there is a client ${clientId} already`);
      emit('client.created', clientEventData(stored));
      return withSecret(toInfo(stored, now), secret?.secret);
    },
    findNameProblem: (...given) => findProtectedName(clients, ...given),
    async ownerLimitsOf(clientId) {
      const client = clientId === undefined ? null : await clients.find(clientId);
      return client === null ? ownerLimits : ownerLimitsOf(client, ownerLimits);
    },
    async update(clientId, changes, { emit, now, getCaller }, options = {}) {
      checkNames('clients.update', names, changes);
      const change = await changeClient(
        { clients, consents, limits, ownerLimits, fields, approval },
        clientId,
        changes,
        { ...options, now, ...(getCaller && { getCaller }) },
      );
      if (change === null) return null;
      const { before, after } = change;
      // a secret that was given up for keys must not come back to life with the next change
      if (!authenticatesBySecret(after, limits.methods) && before.secrets.length > 0)
        await clients.replaceSecrets(clientId, before.secrets[0]?.hash, []);
      // if an owner did, the consents are forgotten, and none is left to rename
      if (options.by !== 'owner' && before.name !== after.name) await consents.rename(clientId, after.name);
      emit('client.updated', clientEventData(after));
      return toInfo(after, now);
    },
    ...readingOf({ clients, secretUses, toInfo }),
    ...rotationOf({ clients, ...keeping, secretUses, secretOverlap, toInfo }),
    ...statusOperationsOf(models, fields, toInfo),
    ...createOwnership({ clients, approval, fields }, toInfo),
    async delete(clientId, { emit, now }) {
      const count = await deleteClient(models, { clientId, now }, () => clients.delete(clientId));
      if (count !== null) await emit('client.deleted', { clientId, count });
      return count !== null;
    },
  };
}

function storedOf(secret: { readonly stored: ClientSecret } | undefined): readonly ClientSecret[] {
  return secret === undefined ? [] : [secret.stored];
}

const LIST_LIMIT = 200;

function readingOf({
  clients,
  secretUses,
  toInfo,
}: Pick<ClientServiceOptions, 'secretUses'> & {
  readonly clients: ClientStore;
  readonly toInfo: (client: Client, now: Date) => ClientInfo;
}): Pick<ClientService, 'find' | 'listOfOwner'> {
  return {
    async find(clientId) {
      await secretUses?.flush(clientId);
      const client = await clients.find(clientId);
      return client === null ? null : toInfo(client, new Date());
    },
    async listOfOwner(ownerId) {
      const now = new Date();
      return (await clients.listOfOwner(ownerId, LIST_LIMIT)).map((client) => toInfo(client, now));
    },
  };
}

function rotationOf({
  clients,
  methods,
  sealedSecrets,
  secretUses,
  secretOverlap,
  toInfo,
}: Pick<ClientServiceOptions, 'sealedSecrets' | 'secretUses' | 'secretOverlap'> & {
  readonly clients: ClientStore;
  readonly methods: RegistrationLimits['methods'];
  readonly toInfo: (client: Client, now: Date) => ClientInfo;
}): Pick<ClientService, 'rotateSecret' | 'revokeOldSecrets'> {
  return {
    async rotateSecret(clientId, { emit, now }) {
      await secretUses?.flush(clientId);
      const current = await clients.find(clientId);
      if (current === null) return null;
      if (current.type === 'public')
        throw new OAuthError('invalid_client_metadata', 'a public client has no secret');
      if (!authenticatesBySecret(current, methods))
        throw new OAuthError(
          'invalid_client_metadata',
          'the client authenticates by its keys and has no secret',
        );
      const { secret, stored } = await keepSecret(createClientSecret(now), {
        clientId,
        metadata: current,
        sealedSecrets,
        methods,
      });
      const secrets = [stored, ...retireSecrets(current.secrets, now, secretOverlap)];
      if (!(await clients.replaceSecrets(clientId, current.secrets[0]?.hash, secrets)))
        throw rotatedMeanwhile();
      emit('client.secret_rotated', clientEventData(current));
      return withSecret(toInfo({ ...current, secrets }, now), secret);
    },
    async revokeOldSecrets(clientId, { emit, now }) {
      await secretUses?.flush(clientId);
      const current = await clients.find(clientId);
      if (current === null) return null;
      const secrets = current.secrets.slice(0, 1);
      if (!(await clients.replaceSecrets(clientId, secrets[0]?.hash, secrets))) throw rotatedMeanwhile();
      emit('client.updated', clientEventData(current));
      return toInfo({ ...current, secrets }, now);
    },
  };
}

function statusOperationsOf(
  models: ClientStores,
  fields: readonly ClientField[],
  toInfo: (client: Client, now: Date) => ClientInfo,
): Pick<ClientService, 'block' | 'unblock' | 'approve'> {
  type Name = 'client.blocked' | 'client.unblocked' | 'client.approved';
  const done = async (change: Change | null, name: Name, act: OperationContext) => {
    if (change === null) return null;
    if (isChange(change)) await act.emit(name, clientEventData(change.after));
    return toInfo(change.after, act.now);
  };
  return {
    block: async (clientId, act, options) =>
      done(await blockClient(models, clientId, { ...options, now: act.now }), 'client.blocked', act),
    unblock: async (clientId, act, options) =>
      done(await unblockClient(models, clientId, { ...options, now: act.now }), 'client.unblocked', act),
    approve: async (clientId, act, options) =>
      done(
        await approveClient(models, clientId, { ...options, fields, now: act.now }),
        'client.approved',
        act,
      ),
  };
}

function rotatedMeanwhile(): OAuthError {
  return new OAuthError(
    'invalid_client_metadata',
    'the secret was rotated by somebody else at the same moment',
    { status: 409 },
  );
}

/** What the events of a client say: its id, and the developer who registered it as the user. */
function clientEventData({ clientId, ownerId }: Client): { clientId: string; userId?: string } {
  return { clientId, ...(ownerId !== undefined && { userId: ownerId }) };
}

function checkClientId(clientId: unknown): void {
  const problem = findClientIdProblem(clientId);
  if (problem !== undefined) throw new OAuthError('invalid_client_metadata', problem);
}

/** RFC 6749 Appendix A.1: client-id = *VSCHAR */
export function findClientIdProblem(clientId: unknown): string | undefined {
  if (typeof clientId !== 'string') return 'clientId must be text';
  return /^[\x21-\x7e]{1,200}$/.test(clientId)
    ? undefined
    : 'clientId must be 1 to 200 printable ASCII characters without space';
}

/** The message never has the value: it may be the secret all the same, such as a number. */
function checkSecretShape(clientSecret: unknown): void {
  if (clientSecret !== undefined && typeof clientSecret !== 'string')
    throw new OAuthError('invalid_client_metadata', 'clientSecret must be text');
}

function withSecret(client: ClientInfo, clientSecret: string | undefined): ClientWithSecret {
  return { ...client, ...(clientSecret !== undefined && { clientSecret }) };
}
