import type { OpenidSettings } from '../../settings/options/openid-options.js';
import { tagOf } from '../../shared/crypto/secrets.js';
import { unexpectedCondition } from '../../shared/errors.js';
import type { Client } from '../clients/client.js';
import type { ClientSource } from '../clients/client-store.js';
import { type SectorFields, sectorOf } from '../clients/validation/sector-identifier.js';

export type SubjectClient = SectorFields & Pick<Client, 'clientId'>;

/**
 * The id by which a client knows a user: the `sub` in every token and response for the client. Of `createSids`: the id
 * by which the client knows a session.
 *
 * @throws OAuthError server_error for a client with pairwise subjects if there is no longer a salt
 * @see OpenID Connect Core §8
 */
export type SubjectOf = (client: SubjectClient, own: string) => string;

const A_SECTOR = 'a sector: one host in its redirectUris, or a sectorIdentifierUri';

export function createSubjects(
  openid: Pick<OpenidSettings, 'pairwiseSalt'> | false,
  purpose = 'pairwise subject',
): SubjectOf {
  const salt = openid === false ? undefined : openid.pairwiseSalt;
  return (client, own) => {
    if (client.subjectType !== 'pairwise') return own;
    const sector = sectorOf(client);
    // never the plain id instead: once sent, it cannot be taken back
    if (salt === undefined || sector === undefined)
      throw unexpectedCondition(
        `client ${client.clientId} is registered for pairwise subjects, which need ${salt === undefined ? 'openid.pairwiseSalt' : A_SECTOR}`,
      );
    // OpenID Connect Core §8.1: the subject cannot be reversed, is the same each time, and differs between sectors
    return tagOf(JSON.stringify([purpose, sector, own]), salt);
  };
}

/**
 * Finds the id by which a client knows a session: the `sid` of its ID tokens, logout tokens and frame. With the same
 * `sid`, two clients could tell that they share a visitor, whatever the `sub`.
 */
export function createSids(openid: Pick<OpenidSettings, 'pairwiseSalt'>): SubjectOf {
  return createSubjects(openid, 'pairwise session');
}

/** `SubjectOf` by the id of the client; undefined if the client no longer exists. */
export function createFindSubject(openid: OpenidSettings | false, clientSource: ClientSource) {
  const subjectOf = createSubjects(openid);
  const isAlwaysPublic = openid === false || openid.pairwiseSalt === undefined;
  return async (clientId: string, userId: string): Promise<string | undefined> => {
    // no command for sites where no client can be registered for pairwise subjects
    if (isAlwaysPublic) return userId;
    const client = await clientSource.find(clientId, { fresh: false, staleIfError: true });
    return client === null ? undefined : subjectOf(client, userId);
  };
}
