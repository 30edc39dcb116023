import type { Place } from '../mapping.js';
import type { OldClient, OldConsent, OldDatabase } from '../source.js';
import { dateOf, madeAt, type Stored } from '../values.js';

/* What servers have in common that leave models to their sites: only names differ. */

/** The names that sites give to the fields of clients. */
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
/** Where tokens name a client and a user: with an id, or with the whole document. */
const CLIENT_OF_TOKEN = ['clientId', 'clientID', 'client.clientId', 'client.id', 'client._id', 'client'];
const USER_OF_TOKEN = ['userId', 'userID', 'user._id', 'user.id', 'user'];
/** The fields of all kinds of tokens. */
export const TOKEN_FIELDS: Place['fields'] = {
  client: CLIENT_OF_TOKEN,
  user: USER_OF_TOKEN,
  scopes: ['scope', 'scopes'],
};
/** The collection is named by the site, if it has one. */
export const MIGRATED_CONSENTS: Place = {
  fields: { client: CLIENT_OF_TOKEN, user: USER_OF_TOKEN, scopes: ['scopes', 'scope'] },
};

export async function* readClients(old: OldDatabase): AsyncIterable<OldClient> {
  for await (const document of old.documents('clients')) {
    const read = (field: string) => old.read('clients', document, field);
    yield {
      id: read('id'),
      keys: [read('key'), read('otherKey')],
      name: read('name'),
      secret: read('secret'),
      redirectUris: read('redirectUris'),
      grantTypes: read('grantTypes'),
      scopes: read('scopes'),
      trusted: read('trusted'),
      owner: read('owner'),
    };
  }
}

export async function* readConsents(old: OldDatabase): AsyncIterable<OldConsent> {
  for await (const document of old.documents('consents')) {
    const read = (field: string) => old.read('consents', document, field);
    yield {
      name: nameOf(document),
      client: read('client'),
      user: read('user'),
      scopes: read('scopes'),
    };
  }
}

/** What is read from all kinds of tokens. */
export function readCommon(old: OldDatabase, place: string, document: Stored) {
  const read = (field: string) => old.read(place, document, field);
  return {
    name: nameOf(document),
    client: read('client'),
    user: read('user'),
    scopes: read('scopes'),
    createdAt: dateOf(read('createdAt')) ?? madeAt(document),
  };
}

/** Names a document by its id if that is not a secret: an ObjectId is not. */
function nameOf({ _id: id }: Stored): string {
  const { _bsontype: type } = (id ?? {}) as { _bsontype?: unknown };
  return type === 'ObjectId' || type === 'ObjectID' ? String(id) : 'a document';
}
