import type { ConsentClient } from '../../core/authorization/consent-client.js';
import { findDisplayedUri } from '../../core/clients/page-uri.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { lazy } from '../../shared/lazy.js';
import type { Translator } from '../rendering/translator.js';
import { logoVersionOf } from './client-logos.js';

/** A client and where its answer goes; undefined if a device waits for it. */
interface Asking {
  readonly client: ConsentClient;
  readonly redirectUri?: string | undefined;
}

const LINKS = ['clientUri', 'policyUri', 'tosUri'] as const;

export function describeClient({ client, redirectUri }: Asking, settings: Settings, { text }: Translator) {
  const { isVerified } = client;
  return {
    clientName: client.name,
    /** Where this site serves its logo, as far as it may be believed. */
    clientLogo: findClientLogo({ client, redirectUri }, settings),
    isVerified,
    publisher: client.publisher,
    // only if it is verified: otherwise it could say anything to the user who decides
    clientDescription: isVerified ? client.description : undefined,
    /** Its pages, as far as they may be believed (RFC 7591 §2, §5). */
    clientLinks: LINKS.flatMap((field) => {
      const uri = findDisplayedUri(client[field], redirectUri, isVerified);
      return uri === undefined ? [] : [{ uri, label: text(`consent.${field}`) }];
    }),
  };
}

export function findClientLogo({ client, redirectUri }: Asking, settings: Settings): string | undefined {
  const uri = findDisplayedUri(client.logoUri, redirectUri, client.isVerified);
  if (uri === undefined) return undefined;
  const query = new URLSearchParams({ client_id: client.clientId, v: logoVersionOf(uri) });
  return `${pathOf(settings, 'client-logo')}?${query.toString()}`;
}

/** More than these would push out of sight what counts. */
const MAX_BEFORE = 20;

const loadSuffixes = lazy(() => import('tldts'));

/**
 * Splits a host by the list of public suffixes, including those of hosting companies, below which anybody can have a
 * name: in `accounts.bank.example.evil.example` the end is what counts. The list is loaded with the first consent page.
 *
 * @see https://publicsuffix.org/list/
 */
export async function splitHost(host: string) {
  const { parse } = await loadSuffixes();
  const { hostname, port } = new URL(`https://${host}`);
  const { domain } = parse(hostname, { allowPrivateDomains: true });
  const registrable = domain ?? hostname;
  const before = hostname.slice(0, hostname.length - registrable.length);
  return {
    // what the owner of the rest can name as they like, even like somebody else's page
    before: before.length > MAX_BEFORE ? `…${before.slice(-MAX_BEFORE)}` : before,
    // the part that somebody has registered, or the whole host if it is not below a public suffix
    registrable,
    // the port
    after: port === '' ? '' : `:${port}`,
  };
}
