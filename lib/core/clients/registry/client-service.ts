import { randomUUID } from 'node:crypto';

import { checkNames } from '../../../settings/table/parse-options.js';
import type { SealedSecrets } from '../../../shared/crypto/seal.js';
import { OAuthError } from '../../../shared/errors.js';
import { insertWithinLimit } from '../../../shared/limits/insert-within-limit.js';
import { credentialOf } from '../auth-method-info.js';
import type { Client } from '../client.js';
import type { ClientField, RegistrationLimits } from '../client-field.js';
import { CLIENT_FIELDS } from '../client-fields.js';
import { checkMetadata, pickMetadata, withDefaults } from '../client-metadata.js';
import { OwnershipError } from '../client-owners.js';
import { reviewAfterChange } from '../client-review.js';
import type { ClientStores } from '../client-store.js';
import { createClientSecret, retireSecrets, SECRET_OVERLAP } from '../secrets/client-secrets.js';
import { issueClientSecret, keepSecret } from '../secrets/issue-client-secret.js';
import type { SecretUses } from '../secrets/secret-last-used.js';
import { checkNameIsFree, type ClientName, findProtectedName } from '../validation/protected-names.js';
import { checkSector, checkSectorStays } from '../validation/sector-identifier.js';
import { type ClientInfo, toClientInfo } from './client-info.js';
import type { ClientChanges, ClientWithSecret, NewClient } from './client-registry.js';
import { createClientStatus, deleteClient } from './client-status.js';
import { allowedAfter, ownerLimitsOf } from './owner-limits.js';
import { createClientOwnership } from './owners.js';
import {
  allowExistingValues,
  type ChangeOptions,
  checkNamedClients,
  differences,
  invalidateConsents,
  isHostApproved,
  type OperationContext,
  pickCustom,
  updateClient,
} from './update-client.js';

export interface ClientServiceOptions {
  readonly models: ClientStores;
  readonly limits: RegistrationLimits;
  /** The limits on developers' clients. Default: `limits`. */
  readonly applications?: Pick<RegistrationLimits, 'scopes' | 'grantTypes' | 'redirectUriRules'> & {
    /** Whether developers' clients wait for approval. Default: no. */
    readonly approval?: boolean;
  };
  readonly defaultScopes: readonly string[] | undefined;
  /** Seconds. Default: a day. */
  readonly secretOverlap?: number;
  /** The fields that a client can have. Default: `CLIENT_FIELDS`. */
  readonly fields?: readonly ClientField[];
  /** Undefined without the option `clientAuthentication.secretKey`. */
  readonly sealedSecrets?: SealedSecrets | undefined;
  /** Records the use of secrets. Default: nothing waits to be stored. */
  readonly secretUses?: SecretUses | undefined;
}

const LIST_LIMIT = 200;

/** The registry for the pages: each change carries its time, and the receiver of its event. */
export type ClientService = ReturnType<typeof createClientService>;

export function createClientService(options: ClientServiceOptions) {
  const { models, limits, applications, secretOverlap = SECRET_OVERLAP, sealedSecrets, secretUses } = options;
  const { defaultScopes = limits.scopes, fields = CLIENT_FIELDS } = options;
  const { clients, consents } = models;
  const { customFields = [] } = clients;
  const { methods } = limits;
  const names = [...fields.map(({ name }) => name), ...customFields];
  const toInfo = (client: Client, now: Date) => toClientInfo(client, now, fields);
  const { approval = false, ...choices } = applications ?? {};
  const ownerLimits = { ...limits, ...choices };
  /** The current client, with the last use of its secrets. */
  const findFresh = async (clientId: string) => {
    await secretUses?.flush(clientId);
    return clients.find(clientId);
  };

  return {
    limits,
    fields,
    /**
     * @param options `maxOwned`: the maximum number of the owner's clients, over all processes
     * @throws OwnershipError too-many-clients
     */
    async create(
      input: NewClient,
      { emit, now, getCaller }: OperationContext,
      { by = 'host', maxOwned }: ChangeOptions & { readonly maxOwned?: number } = {},
    ) {
      checkNames('clients.create', [...names, 'clientId', 'clientSecret'], input);
      const { clientId = randomUUID(), clientSecret } = input;
      const metadata = withDefaults({ ...input }, { limits, defaultScopes }, fields);
      checkMetadata(metadata, by === 'owner' ? ownerLimits : limits, fields);
      const idProblem = findClientIdProblem(clientId);
      if (idProblem !== undefined) throw new OAuthError('invalid_client_metadata', idProblem);
      // the message never contains the value, which may be the secret, such as a number
      if (clientSecret !== undefined && typeof clientSecret !== 'string')
        throw new OAuthError('invalid_client_metadata', 'clientSecret must be text');
      if (by === 'owner') await checkNameIsFree(clients, { ...metadata, clientId });
      await checkNamedClients(clients, fields, metadata);
      await checkSector({ ...metadata, clientId }, limits, { getCaller });
      const of = { clientId, metadata, sealedSecrets, methods };
      const secret = await issueClientSecret(of, clientSecret, now);
      const insert = async () => {
        const inserted = await clients.insert({
          clientId,
          ...metadata,
          custom: pickCustom(input, customFields),
          allowed: by === 'host' ? allowedAfter(undefined, input) : undefined,
          awaitsApprovalSince: by === 'owner' && approval ? now : undefined,
          secrets: secret === undefined ? [] : [secret.stored],
          createdAt: now,
          updatedAt: now,
        });
        if (inserted === null)
          throw new OAuthError('invalid_client_metadata', `there is a client ${clientId} already`);
        return inserted;
      };
      const { ownerId } = metadata;
      const stored =
        ownerId === undefined || maxOwned === undefined
          ? await insert()
          : await insertWithinLimit({
              max: maxOwned,
              count: async (limit) => (await clients.listOfOwner(ownerId, limit)).length,
              insert,
              remove: () => clients.delete(clientId),
              tooMany: () => new OwnershipError('too-many-clients'),
            });
      await emit('client.created', { clientId, userId: stored.ownerId });
      return withSecret(toInfo(stored, now), secret?.secret);
    },
    async find(clientId: string) {
      const client = await findFresh(clientId);
      return client === null ? null : toInfo(client, new Date());
    },
    async listOfOwner(ownerId: string) {
      const now = new Date();
      return (await clients.listOfOwner(ownerId, LIST_LIMIT)).map((client) => toInfo(client, now));
    },
    /** The problem of a name that an owner chooses, beyond `limits`; undefined if there is none. */
    findNameProblem: (client: ClientName, before?: ClientName) => findProtectedName(clients, client, before),
    /** The limits for the owner of a client, or for a new client. */
    async ownerLimitsOf(clientId?: string) {
      const client = clientId === undefined ? null : await clients.find(clientId);
      return client === null ? ownerLimits : ownerLimitsOf(client, ownerLimits);
    },
    /**
     * Changes only the present fields. If an owner changes the name or a redirect URI, users with a consent are asked
     * again.
     */
    async update(
      clientId: string,
      changes: ClientChanges,
      act: OperationContext,
      options: ChangeOptions = {},
    ) {
      checkNames('clients.update', names, changes);
      const { by = 'host', expectedUpdatedAt } = options;
      const { now, getCaller } = act;
      const change = await updateClient(clients, clientId, { expectedUpdatedAt, now }, async (before) => {
        const changed = { ...before, ...changes };
        // the publisher ends with the verification; if it is set at the same time, the check refuses it
        const { publisher } = changed.verified === true ? changed : changes;
        const metadata = pickMetadata({ ...changed, publisher }, fields);
        const possible = by === 'owner' ? ownerLimitsOf(before, ownerLimits) : limits;
        checkMetadata(metadata, allowExistingValues(possible, before), fields);
        // the type decides whether a client has a secret, which is fixed when the client is registered
        if (metadata.type !== before.type)
          throw new OAuthError(
            'invalid_client_metadata',
            'the type of a client cannot be changed; register another client',
          );
        if (by === 'owner') {
          checkSectorStays(metadata, before);
          await checkNameIsFree(clients, { ...metadata, clientId }, before);
        }
        await checkNamedClients(clients, fields, metadata, before);
        // `before` has the client's origin and its standing
        await checkSector({ ...before, ...metadata }, limits, { before, getCaller });

        const reviewer = by === 'owner' ? 'others' : by;
        const standing = reviewAfterChange(before, metadata, { by: reviewer, approval, fields, now });
        const isSelfRegistered = before.registration !== undefined || before.document !== undefined;
        return {
          changes: {
            ...differences(before, metadata, fields),
            custom: pickCustom(changes, customFields),
            allowed: by === 'host' ? allowedAfter(before.allowed, changes) : before.allowed,
            ...standing,
          },
          takesOver: isSelfRegistered && isHostApproved({ ...metadata, ...standing }, fields),
          store: (update) =>
            by === 'owner' ? invalidateConsents(consents, before, metadata, update) : update(),
        };
      });
      if (change === null) return null;
      const { before, after } = change;
      // a secret that was replaced by keys must not become valid again with the next change
      if (credentialOf(after, methods) !== 'secret' && before.secrets.length > 0)
        await clients.replaceSecrets(clientId, before.secrets[0]?.hash, []);
      // after a change by an owner there is no consent left to rename
      if (by !== 'owner' && before.name !== after.name) await consents.rename(clientId, after.name);
      await act.emit('client.updated', { clientId, userId: after.ownerId });
      return toInfo(after, now);
    },
    async rotateSecret(clientId: string, { emit, now }: OperationContext) {
      const current = await findFresh(clientId);
      if (current === null) return null;
      if (credentialOf(current, methods) !== 'secret') {
        const who =
          current.type === 'public' ? 'a public client' : 'the client authenticates by its keys and';
        throw new OAuthError('invalid_client_metadata', `${who} has no secret`);
      }
      const of = { clientId, metadata: current, sealedSecrets, methods };
      const { secret, stored } = await keepSecret(createClientSecret(now), of);
      const secrets = [stored, ...retireSecrets(current.secrets, now, secretOverlap)];
      if (!(await clients.replaceSecrets(clientId, current.secrets[0]?.hash, secrets)))
        throw rotatedMeanwhile();
      await emit('client.secret_rotated', { clientId, userId: current.ownerId });
      return withSecret(toInfo({ ...current, secrets }, now), secret);
    },
    async revokeOldSecrets(clientId: string, { emit, now }: OperationContext) {
      const current = await findFresh(clientId);
      if (current === null) return null;
      const secrets = current.secrets.slice(0, 1);
      if (!(await clients.replaceSecrets(clientId, secrets[0]?.hash, secrets))) throw rotatedMeanwhile();
      await emit('client.updated', { clientId, userId: current.ownerId });
      return toInfo({ ...current, secrets }, now);
    },
    ...createClientStatus(models, fields, toInfo),
    ...createClientOwnership({ clients, approval, fields }, toInfo),
    async delete(clientId: string, { emit, now }: OperationContext) {
      const count = await deleteClient(models, { clientId, now }, () => clients.delete(clientId));
      if (count !== null) await emit('client.deleted', { clientId, count });
      return count !== null;
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

/** RFC 6749 Appendix A.1: client-id = *VSCHAR */
export function findClientIdProblem(clientId: unknown): string | undefined {
  if (typeof clientId !== 'string') return 'clientId must be text';
  return /^[\x21-\x7e]{1,200}$/.test(clientId)
    ? undefined
    : 'clientId must be 1 to 200 printable ASCII characters without space';
}

function withSecret(client: ClientInfo, clientSecret: string | undefined): ClientWithSecret {
  return clientSecret === undefined ? client : { ...client, clientSecret };
}
