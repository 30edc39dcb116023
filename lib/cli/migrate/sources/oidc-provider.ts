import type { OldClient, OldConsent, OldDatabase, OldToken, OldTokens, Source } from '../source.js';
import { dateOf, type Stored, valueAt } from '../values.js';

/** If a grant of ours had more, they would be lost at the first refresh. */
const MAX_TOGETHER = 10;
const payloadOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, [`payload.${name}`]]));
const TOKEN_FIELDS = {
  // the token itself: opaque tokens are kept under their value
  token: ['payload.jti', '_id'],
  ...payloadOf([
    'accountId',
    'clientId',
    'grantId',
    'scope',
    'aud',
    'resource',
    'exp',
    'iat',
    'consumed',
    'sessionUid',
    'expiresWithSession',
    'format',
  ]),
  boundTo: ['payload.x5t#S256', 'payload.jkt'],
};

/** The MongoDB adapter from its examples: a collection for each model, with `payload` as it was handed over. */
export const oidcProvider: Source = {
  name: 'oidc-provider',
  description: 'node-oidc-provider, with the MongoDB adapter of its examples',
  mapping: {
    clients: {
      collection: 'client',
      fields: {
        id: ['payload.client_id', '_id'],
        ...payloadOf([
          'client_name',
          'client_secret',
          'client_secret_expires_at',
          'redirect_uris',
          'grant_types',
          'scope',
          'token_endpoint_auth_method',
          'jwks',
          'jwks_uri',
        ]),
        metadata: ['payload'],
      },
    },
    accessTokens: { collection: 'access_token', fields: TOKEN_FIELDS },
    clientCredentials: { collection: 'client_credentials', fields: TOKEN_FIELDS },
    refreshTokens: { collection: 'refresh_token', fields: TOKEN_FIELDS },
    grants: {
      collection: 'grant',
      fields: { id: ['_id'], ...payloadOf(['accountId', 'clientId', 'exp', 'openid', 'resources']) },
    },
    sessions: { collection: 'session', fields: { id: ['payload.uid'] } },
    users: { fields: { id: ['_id'] } },
  },
  consentsByTokens: false,
  clients: readClients,
  tokens: readTokens,
  consents: readConsents,
};

async function* readClients(old: OldDatabase): AsyncIterable<OldClient> {
  for await (const document of old.documents('clients')) {
    const read = (field: string) => old.read('clients', document, field);
    yield {
      id: read('id'),
      keys: [],
      name: read('client_name'),
      secret: read('client_secret'),
      redirectUris: read('redirect_uris'),
      grantTypes: read('grant_types'),
      scopes: read('scope'),
      // the default of its client metadata
      authMethod: read('token_endpoint_auth_method') ?? 'client_secret_basic',
      jwks: read('jwks'),
      jwksUri: read('jwks_uri'),
      secretExpiresAt: read('client_secret_expires_at'),
      metadata: read('metadata'),
    };
  }
}

/** Each refresh token with the access tokens of its grant, then the access tokens without a refresh token. */
async function* readTokens(old: OldDatabase): AsyncIterable<OldTokens> {
  const given = new Set<unknown>();
  for await (const document of old.documents('refreshTokens')) {
    const refreshToken = await tokenOf(old, 'refreshTokens', document);
    const grantId = old.read('refreshTokens', document, 'grantId');
    const beside =
      refreshToken.problem === undefined && grantId !== undefined
        ? await old.find('accessTokens', 'grantId', [grantId])
        : [];
    const accessTokens = await Promise.all(
      beside
        // a token with other scopes or another resource becomes a grant of its own
        .filter((each) => isAlike(old, document, each))
        .slice(-MAX_TOGETHER)
        .map((each) => tokenOf(old, 'accessTokens', each)),
    );
    const good = accessTokens.filter(({ value, problem }) => problem === undefined && !given.has(value));
    for (const { value } of good) given.add(value);
    yield { ...commonOf(old, 'refreshTokens', document), accessTokens: good, refreshToken };
  }
  for (const place of ['accessTokens', 'clientCredentials'])
    for await (const document of old.documents(place)) {
      if (given.has(old.read(place, document, 'token'))) continue;
      yield { ...commonOf(old, place, document), accessTokens: [await tokenOf(old, place, document)] };
    }
}

function isAlike(old: OldDatabase, refreshToken: Stored, accessToken: Stored): boolean {
  const refresh = commonOf(old, 'refreshTokens', refreshToken);
  const access = commonOf(old, 'accessTokens', accessToken);
  return (
    refresh.scopes === access.scopes &&
    JSON.stringify([refresh.resources ?? []].flat()) === JSON.stringify([access.resources ?? []].flat())
  );
}

function commonOf(old: OldDatabase, place: string, document: Stored) {
  const read = (field: string) => old.read(place, document, field);
  return {
    name: 'a token',
    client: read('clientId'),
    user: read('accountId'),
    scopes: read('scope'),
    resources: read(place === 'refreshTokens' ? 'resource' : 'aud'),
    createdAt: dateOf(read('iat')),
  };
}

async function tokenOf(old: OldDatabase, place: string, document: Stored): Promise<OldToken> {
  const read = (field: string) => old.read(place, document, field);
  return {
    value: read('token'),
    expiresAt: read('exp'),
    problem: problemOf(read) ?? (await endOf(old, read)),
  };
}

type Read = (field: string) => unknown;

function problemOf(read: Read): string | undefined {
  if (read('consumed') !== undefined) return 'it was used already';
  // RFC 9449, RFC 8705: here anybody who has it could use it
  if (read('boundTo') !== undefined) return 'it is bound to a key or a certificate (DPoP, mutual TLS)';
  const format = read('format');
  return format !== undefined && format !== 'opaque' ? 'it is kept in a format of before' : undefined;
}

/** Whether what it depends on at the old server has ended: its grant, and for some the session of the login. */
async function endOf(old: OldDatabase, read: Read): Promise<string | undefined> {
  const [grantId, sessionUid] = [read('grantId'), read('sessionUid')];
  const isGone = async (place: string, id: unknown) =>
    id !== undefined && old.has(place) && (await old.find(place, 'id', [id])).length === 0;
  if (await isGone('grants', grantId)) return 'its grant has ended';
  const endsWithSession = read('expiresWithSession') === true;
  return endsWithSession && (await isGone('sessions', sessionUid)) ? 'its login has ended' : undefined;
}

/** What a user has allowed: scopes of the server itself, and those of each resource. */
async function* readConsents(old: OldDatabase): AsyncIterable<OldConsent> {
  for await (const document of old.documents('grants')) {
    const read = (field: string) => old.read('grants', document, field);
    const expiresAt = dateOf(read('exp'));
    const common = {
      name: 'a grant',
      client: read('clientId'),
      user: read('accountId'),
      problem: expiresAt !== undefined && expiresAt <= new Date() ? 'it has expired' : undefined,
    };
    const scope = valueAt(read('openid'), 'scope');
    const resources = Object.entries((read('resources') ?? {}) as Stored);
    if (scope !== undefined || resources.length === 0) yield { ...common, scopes: scope ?? [] };
    for (const [resource, scopes] of resources) yield { ...common, scopes, resource };
  }
}
