import type { Client } from './client.js';
import { isUnverifiedThirdParty } from './provenance.js';
import { skeletonOf } from './validation/confusable-names.js';

/** The lists of clients for administrators, besides all clients and clients that were never used. */
export const CLIENT_LISTS = ['waiting', 'blocked', 'unverified', 'verified', 'self-registered'] as const;
export type ClientListName = (typeof CLIENT_LISTS)[number];

/**
 * The data stored with a client so that lists and searches read no other clients. Derived from the client, and never
 * displayed.
 */
export interface Listed {
  readonly lists: readonly ClientListName[];
  /** The beginnings by which a search finds the client: see `searchKeyOf`. */
  readonly keys: readonly string[];
  /** Protects the name of the client from look-alikes; absent if its name is not protected. */
  readonly skeleton?: string;
}

const KEY_LENGTH = 60;
/** Words of a name with which a search can begin. */
const MAX_TERMS = 8;

/** A client by its name and its redirect URIs. */
export type NamedClient = Pick<Client, 'clientId' | 'name' | 'redirectUris'>;

export function listedFields(client: Client): Listed {
  const isIn: Readonly<Record<ClientListName, boolean>> = {
    waiting: client.awaitsApprovalSince !== undefined,
    blocked: client.blocked !== undefined,
    unverified: isUnverifiedThirdParty(client),
    verified: client.verified === true,
    'self-registered': client.registration !== undefined || client.document !== undefined,
  };
  // users know verified clients, and the site's own clients, by their names
  const skeleton = isUnverifiedThirdParty(client) ? '' : skeletonOf(client.name);
  return {
    lists: CLIENT_LISTS.filter((name) => isIn[name]),
    keys: searchKeysOf(client),
    ...(skeleton !== '' && { skeleton }),
  };
}

/** Normalizes a search and what it searches: without case and accents. */
export function searchKeyOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, KEY_LENGTH);
}

export function isFoundBy(client: NamedClient, typed: string): boolean {
  const sought = searchKeyOf(typed);
  return searchKeysOf(client).some((key) => key.startsWith(sought));
}

/** The name from each of its words on, the id, and the hosts of the redirect URIs. */
function searchKeysOf({ clientId, name, redirectUris }: NamedClient): readonly string[] {
  const terms = name.split(/\s+/u).filter(Boolean);
  const names = terms.slice(0, MAX_TERMS).map((_word, index) => terms.slice(index).join(' '));
  const keys = [...names, clientId, ...redirectUris.flatMap(hostOf)].map(searchKeyOf).filter(Boolean);
  return [...new Set(keys)];
}

/** The host of a URI, or the scheme of an app's private-use URI. */
function hostOf(uri: string): readonly string[] {
  if (!URL.canParse(uri)) return [];
  const { host, protocol } = new URL(uri);
  return host === '' ? [protocol.slice(0, -1)] : host.startsWith('www.') ? [host, host.slice(4)] : [host];
}
