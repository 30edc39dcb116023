import type { ConsentClient } from '../../core/authorization/consent-client.js';
import { findDisplayedUri } from '../../core/clients/page-uri.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { lazy } from '../../shared/lazy.js';
import type { Translator } from '../rendering/translator.js';
import { logoVersionOf } from './client-logos.js';

/** A client and its redirect URI; undefined for a device. */
interface Asking {
  readonly client: ConsentClient;
  readonly redirectUri?: string | undefined;
}

const LINKS = ['clientUri', 'policyUri', 'tosUri'] as const;

export function describeClient({ client, redirectUri }: Asking, settings: Settings, { text }: Translator) {
  const { isVerified } = client;
  return {
    clientName: client.name,
    /** The logo's address at this site, if it may be displayed. */
    clientLogo: findClientLogo({ client, redirectUri }, settings),
    isVerified,
    publisher: client.publisher,
    // only if verified: otherwise the text could deceive the user who decides
    clientDescription: isVerified ? client.description : undefined,
    /** The client's links, if they may be displayed (RFC 7591 §2, §5). */
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

/** A longer subdomain would push the registered domain out of sight. */
const MAX_BEFORE = 20;

const loadSuffixes = lazy(() => import('tldts'));

/**
 * Splits a host by the list of public suffixes, including hosting companies, where anybody can have a subdomain: in
 * `accounts.bank.example.evil.example` the end counts. The list is loaded for the first consent page.
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
    // the subdomain, which its owner may name like another site
    before: before.length > MAX_BEFORE ? `…${before.slice(-MAX_BEFORE)}` : before,
    // the registered domain, or the whole host without a public suffix
    registrable,
    after: port === '' ? '' : `:${port}`,
  };
}
