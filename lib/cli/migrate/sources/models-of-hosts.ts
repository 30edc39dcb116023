import type { OldDatabase, OldDocument, Place } from '../old-database.js';
import type { OldClient, OldConsent, OldToken, OldTokens } from '../source.js';
import { dateOf } from '../values.js';

/* Shared code for servers that leave models to the site, whose names then differ. */

/** Common names of the fields of clients. */
export const MIGRATED_CLIENT_FIELDS: Place['fields'] = {
  id: ['clientId', 'client_id', 'id'],
  key: ['_id'],
  otherKey: ['id'],
  name: ['name', 'clientName'],
  secret: ['clientSecret', 'client_secret', 'secret'],
  redirectUris: ['redirectUris', 'redirectURIs', 'redirectUri', 'redirectURI'],
  grantTypes: ['grants', 'grantTypes'],
  scopes: ['scopes', 'scope'],
  trusted: ['trusted', 'isTrusted', 'trustedClient'],
  owner: ['ownerId', 'userId', 'user'],
};
/** The fields by which tokens identify a client and a user: an id, or the whole document. */
const CLIENT_OF_TOKEN = ['clientId', 'clientID', 'client.clientId', 'client.id', 'client._id', 'client'];
const USER_OF_TOKEN = ['userId', 'userID', 'user._id', 'user.id', 'user'];
/** The fields of all kinds of tokens. */
export const TOKEN_FIELDS: Place['fields'] = {
  client: CLIENT_OF_TOKEN,
  user: USER_OF_TOKEN,
  scopes: ['scope', 'scopes'],
};
/** The site names the collection, if it has one. */
export const MIGRATED_CONSENTS: Place = {
  fields: { client: CLIENT_OF_TOKEN, user: USER_OF_TOKEN, scopes: ['scopes', 'scope'] },
};

export async function* readClients(old: OldDatabase): AsyncIterable<OldClient> {
  for await (const { readAll } of old.documents('clients')) {
    const { key, otherKey, ...client } = readAll();
    yield { ...client, keys: [key, otherKey] };
  }
}

export async function* readConsents(old: OldDatabase): AsyncIterable<OldConsent> {
  for await (const document of old.documents('consents')) yield readCommon(document);
}

/** The common fields of tokens and consents. */
export function readCommon({ id, read }: OldDocument) {
  // an ObjectId contains its time of creation, and is no secret
  const objectId = ['ObjectId', 'ObjectID'].includes(
    String((id as { _bsontype?: unknown } | null | undefined)?._bsontype),
  )
    ? (id as { toHexString(): string; getTimestamp?(): Date })
    : undefined;
  return {
    name: objectId === undefined ? 'a document' : objectId.toHexString(),
    client: read('client'),
    user: read('user'),
    scopes: read('scopes'),
    createdAt: dateOf(read('createdAt')) ?? dateOf(objectId?.getTimestamp?.()),
  };
}

/** The tokens of one document. A document without tokens is reported as lacking an access token. */
export function readTokens(document: OldDocument, accessToken: OldToken, refreshToken: OldToken): OldTokens {
  const hasRefreshToken = refreshToken.value !== undefined;
  return {
    ...readCommon(document),
    accessTokens: accessToken.value === undefined && hasRefreshToken ? [] : [accessToken],
    refreshToken: hasRefreshToken ? refreshToken : undefined,
  };
}
