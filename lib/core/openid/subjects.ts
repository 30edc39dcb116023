import type { Settings } from '../../settings/settings.js';
import { tagOf } from '../../shared/crypto/secrets.js';
import { unexpectedCondition } from '../../shared/errors.js';
import type { Client } from '../clients/client.js';
import type { ClientSource } from '../clients/client-store.js';
import { type SectorFields, sectorOf } from '../clients/validation/sector-identifier.js';

type Salted = Pick<Exclude<Settings['openid'], false | undefined>, 'pairwiseSalt'>;
export type SubjectClient = SectorFields & Pick<Client, 'clientId'>;

/**
 * The id by which a client knows a user: the `sub` in every token and response for the client. Of `createSids`: the id
 * by which the client knows a session.
 *
 * @throws OAuthError server_error for a client with pairwise subjects if there is no longer a salt
 * @see OpenID Connect Core §8
 */
export type SubjectOf = (client: SubjectClient, id: string) => string;

/** The kinds of `sub` for clients. (OpenID Connect Core §8) */
export function subjectTypesOf(openid: Settings['openid']): readonly string[] {
  return openid && openid.pairwiseSalt !== undefined ? ['public', 'pairwise'] : ['public'];
}

const A_SECTOR = 'a sector: one host in its redirectUris, or a sectorIdentifierUri';

export function createSubjects(openid: Salted | false | undefined, purpose = 'pairwise subject'): SubjectOf {
  const salt = openid ? openid.pairwiseSalt : undefined;
  return (client, id) => {
    if (client.subjectType !== 'pairwise') return id;
    const sector = sectorOf(client);
    // never the plain id instead: once sent, it cannot be taken back
    if (salt === undefined || sector === undefined)
      throw unexpectedCondition(
        `client ${client.clientId} is registered for pairwise subjects, which need ${salt === undefined ? 'openid.pairwiseSalt' : A_SECTOR}`,
      );
    // OpenID Connect Core §8.1: the subject cannot be reversed, is the same each time, and differs between sectors
    return tagOf(JSON.stringify([purpose, sector, id]), salt);
  };
}

/**
 * Finds the id by which a client knows a session: the `sid` of its ID tokens, logout tokens and frame. With the same
 * `sid`, two clients could tell that they share a visitor, whatever the `sub`.
 */
export function createSids(openid: Salted): SubjectOf {
  return createSubjects(openid, 'pairwise session');
}

/** `SubjectOf` by the id of the client; undefined if the client no longer exists. */
export function createFindSubject(openid: Settings['openid'], clientSource: ClientSource) {
  const subjectOf = createSubjects(openid);
  const isAlwaysPublic = !openid || openid.pairwiseSalt === undefined;
  return async (clientId: string, userId: string): Promise<string | undefined> => {
    // no command for sites where no client can be registered for pairwise subjects
    if (isAlwaysPublic) return userId;
    const client = await clientSource.find(clientId, { fresh: false, staleIfError: true });
    return client === null ? undefined : subjectOf(client, userId);
  };
}
