import { randomUUID } from 'node:crypto';

import { credentialOf } from '../../core/clients/auth-method-info.js';
import type { Client, ClientMetadata } from '../../core/clients/client.js';
import { valueOf } from '../../core/clients/client-field.js';
import { checkWireMetadata, pickMetadata } from '../../core/clients/client-metadata.js';
import { reviewAfterChange } from '../../core/clients/client-review.js';
import { deleteClient } from '../../core/clients/registry/client-status.js';
import { withinAllowed } from '../../core/clients/registry/owner-limits.js';
import {
  invalidateConsents,
  isHostApproved,
  nextUpdatedAt,
} from '../../core/clients/registry/update-client.js';
import {
  createClientSecret,
  createSecretVerifier,
  retireSecrets,
  SECRET_OVERLAP,
} from '../../core/clients/secrets/client-secrets.js';
import { refuseBlocked } from '../../core/clients/status/blocked-client.js';
import { checkNameIsFree } from '../../core/clients/validation/protected-names.js';
import { checkSector, checkSectorStays } from '../../core/clients/validation/sector-identifier.js';
import { invalidMetadata } from '../../core/clients/validation-error.js';
import {
  isOmitted,
  parseRegistration,
  type RegistrationRequest,
  type RegistrationRules,
  RESPONSE_ONLY,
} from '../../core/clients/wire-metadata.js';
import type { Server } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { createSecret, equalText, hashSecret, toRegisteredId } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { insertWithinLimit } from '../../shared/limits/insert-within-limit.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';
import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import { readSoftwareStatement } from './software-statement.js';

/** The client and the credentials returned only in this response. */
export interface RegisteredClient {
  readonly client: Client;
  /** Present if a new secret was made. */
  readonly clientSecret?: string | undefined;
  readonly registrationAccessToken: string;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The time of the request, and the caller to whom fetches are charged. */
interface Act {
  readonly now: Date;
  readonly getCaller: GetCaller;
}

/** Grace period in seconds: an unused client is not evicted before it ends. */
const GRACE = 600;
const MAX_EVICTIONS = 3;

/** Registers, reads, changes and deletes clients (RFC 7591, RFC 7592). */
export function createRegistration(
  { settings, models, clients: { fields } }: Server,
  rules: RegistrationRules,
) {
  const { applications } = settings;
  const options = requireEnabled(settings.registration, 'registration');
  const { clients, consents } = models;
  // one at a time: otherwise concurrent requests of this process would store clients beyond the quota, and remove them
  const keyedMutex = createKeyedMutex();
  const verifySecret = createSecretVerifier();

  /** RFC 7592 §2.1 to §2.3: 403 where the client has no permission to read, change or delete its record. */
  const find = async (clientId: string, registrationAccessToken: string): Promise<Client> => {
    const client = await clients.find(clientId);
    const stored = client?.registration?.accessTokenHash;
    if (client === null || stored === undefined || !equalText(stored, hashSecret(registrationAccessToken)))
      throw invalidRegistrationToken(client === null ? 'no such client' : 'not the token of this client');
    refuseBlocked(client, 403);
    // another redirect URI would inherit the trust of the site, such as skipped consent or introspection
    if (client.registration?.adoptedAt !== undefined || isHostApproved(client, fields))
      throw new OAuthError(
        'access_denied',
        'this site vouches for this client, so its registration access token has ended; ask the people who run the site to change it',
        { reason: 'registration_token_invalid' },
      );
    return client;
  };
  const parse = async (request: JsonObject) => {
    const { statement, claims } = await readSoftwareStatement(request, options.verifySoftwareStatement);
    // RFC 7591 §2.3: metadata in the software statement MUST take precedence
    return { ...parseRegistration({ ...request, ...claims }, rules), softwareStatement: statement };
  };
  /** Makes a client from a registration, without the fields that only the site can set. */
  const build = (clientId: string, metadata: RegistrationRequest, existingName?: string) => {
    const name = metadata.name?.trim() ?? clientId;
    const client = pickMetadata({ ...metadata, name, trusted: false }, fields);
    checkWireMetadata(client, { ...rules, existingName }, fields);
    return { clientId, ...client };
  };

  return {
    /** `use` consumes the initial access token, after all checks. @throws OAuthError of RFC 7591 §3.2.2 */
    async register(
      request: JsonObject,
      use: () => Promise<void>,
      { now, getCaller }: Act,
    ): Promise<RegisteredClient> {
      const { metadata, details, softwareStatement } = await parse(request);
      const secret = credentialOf(metadata, rules.methods) === 'secret' ? createClientSecret(now) : undefined;
      const token = createRegistrationAccessToken();
      const client: Client = {
        ...build(toRegisteredId(randomUUID()), metadata),
        secrets: secret ? [secret.stored] : [],
        registration: { accessTokenHash: token.hash, details, softwareStatement, unusedSince: now },
        createdAt: now,
        updatedAt: now,
        awaitsApprovalSince: applications.approval ? now : undefined,
        expiresAt: addSeconds(now, options.unusedTtl),
      };
      if (metadata.name !== undefined) await checkNameIsFree(clients, client);
      await checkSector(client, rules, { getCaller });
      const remove = () => clients.delete(client.clientId);
      const { maxClients: max } = options;
      const quota = {
        max,
        // Counts unused clients. Beyond the quota the oldest is evicted: an attacker has to register again and again,
        // and clients in use are neither evicted nor counted
        async count(limit: number) {
          const waiting = await clients.countUnused(limit);
          if (waiting < limit) return waiting;
          const before = addSeconds(now, -GRACE);
          for (let tries = 0; tries < MAX_EVICTIONS; tries += 1)
            if (await clients.removeOldestUnused(before)) return limit - 1;
          return waiting;
        },
        async insert() {
          if (!(await clients.insert(client))) throw new Error('a random client id is taken');
        },
        remove,
        tooMany: () =>
          new OAuthError('temporarily_unavailable', 'no more clients can be registered for the moment', {
            headers: { 'Retry-After': String(GRACE) },
            detail: `registration.maxClients: ${max} wait for their first use, none for over ${GRACE} s`,
          }),
      };
      await keyedMutex('', () => insertWithinLimit(quota));
      // last: a refused registration consumes no use
      await use().catch(async (error: unknown) => {
        await remove();
        throw error;
      });
      return { client, clientSecret: secret?.secret, registrationAccessToken: token.value };
    },
    // no rotation: a lost response, or a script that only reads, would lock the client out
    read: async (clientId: string, registrationAccessToken: string): Promise<RegisteredClient> => ({
      client: await find(clientId, registrationAccessToken),
      registrationAccessToken,
    }),
    /**
     * RFC 7592 §2.2: replaces all metadata that the client can set. A request with the client's secret keeps it;
     * otherwise the client gets a new secret, and the old one works for one more day.
     */
    async replace(
      clientId: string,
      registrationAccessToken: string,
      request: JsonObject,
      { now, getCaller }: Act,
    ): Promise<RegisteredClient> {
      const current = await find(clientId, registrationAccessToken);
      // client_id MUST be the client's own, client_secret MUST match if present, and some fields MUST NOT be
      const forbidden = RESPONSE_ONLY.find((field) => Object.hasOwn(request, field));
      if (forbidden !== undefined) throw invalidMetadata(`${forbidden} cannot be set`);
      if (request.client_id !== clientId) throw invalidMetadata('client_id must be that of this client');
      const { client_secret: presented } = request;
      const isSecretPresented = !isOmitted(presented);
      const verify = (secret: unknown) =>
        typeof secret === 'string' && verifySecret(secret, current.secrets, { now });
      if (isSecretPresented && !(await verify(presented)))
        throw invalidMetadata('client_secret does not match');

      const { metadata, details, softwareStatement } = await parse(request);
      if (metadata.type !== current.type)
        throw invalidMetadata('a client cannot become public, or stop to be: register another one');
      // a client that was registered with a software statement always needs one
      if (current.registration?.softwareStatement !== undefined && softwareStatement === undefined)
        throw new OAuthError(
          'invalid_software_statement',
          'this client is registered with a software statement: send it along',
          { reason: 'software_statement_invalid' },
        );

      const token = createRegistrationAccessToken();
      const hasSecret = credentialOf(metadata, rules.methods) === 'secret';
      const secret = hasSecret && !isSecretPresented ? createClientSecret(now) : undefined;
      const currentSecrets = hasSecret ? current.secrets : [];
      const described = withinAllowed(current, build(clientId, metadata, current.name));
      // omitted metadata is removed; fields that a client cannot set stay
      const settable = fields.filter(({ wire }) => wire !== undefined);
      const replacement = {
        ...(Object.fromEntries(settable.map((field) => [field.name, valueOf(described, field)])) as Omit<
          ClientMetadata,
          'type' | 'trusted'
        >),
        secrets: secret
          ? [secret.stored, ...retireSecrets(current.secrets, now, SECRET_OVERLAP)]
          : currentSecrets,
        registration: {
          accessTokenHash: token.hash,
          details,
          softwareStatement,
          unusedSince: current.registration?.unusedSince,
        },
        updatedAt: nextUpdatedAt(current, now),
      };
      await checkNameIsFree(clients, { ...replacement, clientId }, current);
      checkSectorStays(replacement, current);
      await checkSector({ ...replacement, clientId }, rules, { before: current, getCaller });
      const { approval } = applications;
      const after = { ...current, ...replacement };
      const review = reviewAfterChange(current, after, { by: 'others', approval, fields, now });
      const store = () => clients.replaceRegistered(current, { ...replacement, ...review });
      if (!(await invalidateConsents(consents, current, after, store)))
        throw invalidRegistrationToken('replaced by another request at the same moment');
      return {
        client: { ...after, ...review },
        clientSecret: secret?.secret,
        registrationAccessToken: token.value,
      };
    },
    async remove(clientId: string, registrationAccessToken: string, now: Date): Promise<void> {
      await find(clientId, registrationAccessToken);
      // RFC 7592 §2.3: SHOULD immediately invalidate all existing grants and tokens
      const ended = await deleteClient(models, { clientId, now }, () =>
        clients.deleteRegistered(clientId, hashSecret(registrationAccessToken)),
      );
      if (ended === null) throw invalidRegistrationToken('deleted by another request at the same moment');
    },
  };
}

/** RFC 7592 §5: enough entropy to prevent guessing. */
function createRegistrationAccessToken(): { value: string; hash: string } {
  const value = `eas_ra_${createSecret()}`;
  return { value, hash: hashSecret(value) };
}

/** The same error for every cause: an attacker must not learn whether a client exists (RFC 7592 §2.1). */
function invalidRegistrationToken(detail: string): OAuthError {
  return new OAuthError('invalid_token', 'the registration access token is not valid for this client', {
    reason: 'registration_token_invalid',
    detail,
  });
}
