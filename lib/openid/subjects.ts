import type { Client } from '../clients/client.js';
import type { ClientSource } from '../clients/client-store.js';
import { type SectorFields, sectorOf } from '../clients/sector.js';
import { tagOf } from '../crypto/tags.js';
import { unexpectedCondition } from '../errors.js';
import type { OpenidSettings } from '../settings/openid-options.js';

/** A client, as far as it matters by what it knows people. */
export type SubjectClient = SectorFields & Pick<Client, 'clientId' | 'subjectType'>;

/**
 * By what a client knows a person: the `sub` of all that it is given, and of all that is said of its tokens.
 *
 * @throws OAuthError server_error for a client with pairwise subjects if there is no salt any more
 * @see OpenID Connect Core §8
 */
export type SubjectOf = (client: SubjectClient, userId: string) => string;

/**
 * By what a client knows a session: the `sid` of its ID tokens, of its logout tokens and of its frame.
 *
 * @throws OAuthError as `SubjectOf`
 */
export type SidOf = (client: SubjectClient, sid: string) => string;

const A_SECTOR = 'a sector: one host in its redirectUris, or a sectorIdentifierUri';

export function createSubjects(openid: Pick<OpenidSettings, 'pairwise'> | false): SubjectOf {
  // §8.1: not to be reversed, the same each time, another one in each sector
  return createPairwise(openid, 'pairwise subject');
}

/** What all clients know a session by would say that two of them have the same visitor, whatever the `sub`. */
export function createSids(openid: Pick<OpenidSettings, 'pairwise'>): SidOf {
  return createPairwise(openid, 'pairwise session');
}

function createPairwise(openid: Pick<OpenidSettings, 'pairwise'> | false, purpose: string): SubjectOf {
  const { salt } = (openid === false ? undefined : openid.pairwise) ?? {};
  return (client, own) => {
    if (client.subjectType !== 'pairwise') return own;
    const sector = sectorOf(client);
    // never the id itself in its place: once told, it cannot be taken back
    if (salt === undefined || sector === undefined)
      throw unexpectedCondition(
        `client ${client.clientId} is registered for pairwise subjects, which need ${salt === undefined ? 'openid.pairwise: { salt }' : A_SECTOR}`,
      );
    return tagOf(JSON.stringify([purpose, sector, own]), salt);
  };
}

/** The same where the id of the client alone is known; undefined if there is no such client any more. */
export type FindSubject = (clientId: string, userId: string) => Promise<string | undefined>;

export function createFindSubject(
  openid: Pick<OpenidSettings, 'pairwise'> | false,
  clientSource: ClientSource,
): FindSubject {
  const subjectOf = createSubjects(openid);
  const isAlwaysPublic = openid === false || openid.pairwise === undefined;
  return async (clientId, userId) => {
    // no command for sites where no client can be registered for others
    if (isAlwaysPublic) return userId;
    const client = await clientSource.find(clientId, { fresh: false, staleIfError: true });
    return client === null ? undefined : subjectOf(client, userId);
  };
}
