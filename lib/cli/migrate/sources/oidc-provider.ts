import type { OldDatabase, OldDocument } from '../old-database.js';
import type { OldClient, OldConsent, OldToken, OldTokens, Source } from '../source.js';
import { dateOf, type Stored, valueAt } from '../values.js';

/** A grant with more tokens would lose them at the first refresh. */
const MAX_TOGETHER = 10;
const payloadOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, [`payload.${name}`]]));
const TOKEN_FIELDS = {
  // the value of an opaque token is its id
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

/** The MongoDB adapter of its examples: a collection for each model, with `payload` unchanged. */
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
  for await (const { read } of old.documents('clients'))
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

/** Each refresh token with the access tokens of its grant, then the access tokens without a refresh token. */
async function* readTokens(old: OldDatabase): AsyncIterable<OldTokens> {
  const yielded = new Set<unknown>();
  for await (const document of old.documents('refreshTokens')) {
    const refreshToken = await readToken(old, document);
    const common = readCommonFields(document, 'resource');
    const grantId = document.read('grantId');
    const beside =
      refreshToken.problem === undefined && grantId !== undefined
        ? await old.find('accessTokens', 'grantId', [grantId])
        : [];
    // a token with other scopes or another resource becomes a grant of its own
    const isAlike = (access: ReturnType<typeof readCommonFields>) =>
      common.scopes === access.scopes &&
      JSON.stringify([common.resources ?? []].flat()) === JSON.stringify([access.resources ?? []].flat());
    const alike = beside.filter((each) => isAlike(readCommonFields(each, 'aud'))).slice(-MAX_TOGETHER);
    const accessTokens = (await Promise.all(alike.map((each) => readToken(old, each)))).filter(
      ({ value, problem }) => problem === undefined && !yielded.has(value),
    );
    for (const { value } of accessTokens) yielded.add(value);
    yield { ...common, accessTokens, refreshToken };
  }
  for (const place of ['accessTokens', 'clientCredentials'])
    for await (const document of old.documents(place))
      if (!yielded.has(document.read('token')))
        yield { ...readCommonFields(document, 'aud'), accessTokens: [await readToken(old, document)] };
}

/** @param resource the field with the resources */
function readCommonFields({ read }: OldDocument, resource: 'resource' | 'aud') {
  return {
    name: 'a token',
    client: read('clientId'),
    user: read('accountId'),
    scopes: read('scope'),
    resources: read(resource),
    createdAt: dateOf(read('iat')),
  };
}

/** A token, with the reason if it has ended: by its use, or with its grant or login session. */
async function readToken(old: OldDatabase, { read }: OldDocument): Promise<OldToken> {
  const isGone = async (place: string, id: unknown) =>
    id !== undefined && old.has(place) && (await old.find(place, 'id', [id])).length === 0;
  const format = read('format') ?? 'opaque';
  let problem: string | undefined;
  if (read('consumed') !== undefined) problem = 'it was used already';
  // RFC 9449, RFC 8705: here it would work without the key
  else if (read('boundTo') !== undefined)
    problem = 'it is bound to a key or a certificate (DPoP, mutual TLS)';
  else if (format !== 'opaque') problem = 'it is kept in a format of before';
  else if (await isGone('grants', read('grantId'))) problem = 'its grant has ended';
  else if (read('expiresWithSession') === true && (await isGone('sessions', read('sessionUid'))))
    problem = 'its login has ended';
  return { value: read('token'), expiresAt: read('exp'), problem };
}

/** A user's consents: scopes of the server itself, and those of each resource. */
async function* readConsents(old: OldDatabase): AsyncIterable<OldConsent> {
  for await (const { read } of old.documents('grants')) {
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
