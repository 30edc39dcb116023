import { messageOf } from '../../../shared/errors.js';
import { type GetCaller, UNLIMITED } from '../../../shared/outbound/limit-untrusted-fetch.js';
import { fetchJson } from '../../../shared/outbound/safe-fetch.js';
import { isLoopbackHost } from '../../../shared/protocol/redirect-uri.js';
import type { Client, ClientMetadata } from '../client.js';
import type { RegistrationLimits } from '../client-field.js';
import { standingOf } from '../provenance.js';
import { fetchLimitsFor, PUBLIC_ADDRESSES } from '../untrusted-fetch-limits.js';
import { invalidMetadata } from '../validation-error.js';

export type SectorFields = Pick<ClientMetadata, 'redirectUris' | 'sectorIdentifierUri' | 'subjectType'>;

/**
 * The sector of a client: clients of one sector know a user by the same pairwise subject. Undefined without a sector of
 * its own: several hosts, an application's own scheme, or loopback, which every device has.
 *
 * @see OpenID Connect Core §8.1
 */
export function sectorOf({ redirectUris, sectorIdentifierUri }: SectorFields): string | undefined {
  if (sectorIdentifierUri !== undefined) return hostOf(sectorIdentifierUri);
  const [host = '', ...others] = new Set(redirectUris.map(hostOf));
  return host === '' || isLoopbackHost(host) || others.length > 0 ? undefined : host;
}

function hostOf(uri: string): string {
  return URL.canParse(uri) ? new URL(uri).hostname : '';
}

/**
 * Checks the document at a `sector_identifier_uri`: otherwise a client could name the URI of another site and join its
 * sector.
 *
 * @param options `before`: the stored client, whose unchanged fields were checked when they were registered;
 * `getCaller`: the caller whose limit the fetch counts against, by default the client
 * @throws OAuthError invalid_client_metadata if the document cannot be used, or does not list all redirect URIs;
 * temporarily_unavailable if too much was fetched
 * @see OpenID Connect Core §8.1, OpenID Connect Registration §5, §3.3
 */
export async function checkSector(
  client: SectorFields & Partial<Client>,
  { sectorLimits: limits = PUBLIC_ADDRESSES, limitUntrustedFetch = UNLIMITED }: Partial<RegistrationLimits>,
  { before, getCaller }: { readonly before?: SectorFields; readonly getCaller?: GetCaller | undefined } = {},
): Promise<void> {
  const { sectorIdentifierUri: uri, redirectUris, clientId = '' } = client;
  const isChecked =
    before !== undefined &&
    uri === before.sectorIdentifierUri &&
    redirectUris.every((each) => before.redirectUris.includes(each));
  if (uri === undefined || isChecked) return;
  const what = 'the document at the sector_identifier_uri';
  const fetch = { url: uri, clientId, standing: standingOf(client), getCaller, isPerRequest: true };
  const listed = await limitUntrustedFetch({ ...fetch, hasOwnPauses: true }, () =>
    fetchJson(uri, fetchLimitsFor(limits, client, uri))
      .catch((cause: unknown) => {
        // the cause is for the log only: clients must not learn what this server can reach
        throw invalidMetadata(`${what} could not be fetched`, `${uri} ${messageOf(cause)}`);
      })
      // thrown here, so that it counts as a failed fetch
      .then(({ body }) => {
        if (Array.isArray(body)) return body as readonly unknown[];
        throw invalidMetadata(`${what} is no JSON array of redirect URIs`, uri);
      }),
  );
  const missing = redirectUris.find((each) => !listed.includes(each));
  if (missing !== undefined) throw invalidMetadata(`${what} does not list ${missing.slice(0, 200)}`);
}

/**
 * Refuses a change by the client that moves it to another sector, or from public subjects into a sector: with its
 * present tokens and the redirect URIs of another site, the client could read the subjects of that site.
 *
 * @throws OAuthError invalid_client_metadata
 */
export function checkSectorStays(after: SectorFields, before: SectorFields): void {
  if (after.subjectType !== 'pairwise') return;
  if (before.subjectType === 'pairwise' && sectorOf(after) === sectorOf(before)) return;
  throw invalidMetadata(
    'a client is registered for pairwise subjects from the beginning and stays in its sector: register another client',
  );
}
