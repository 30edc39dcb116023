import { type OutgoingRequest, sendRequest } from '../shared/outbound/send-request.js';
import { AUTHORIZATION_SERVER_METADATA, wellKnownUrlsOf } from '../shared/protocol/well-known.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { withProgress } from './output.js';

export interface FetchedMetadata {
  readonly url: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** Milliseconds. */
const TIMEOUT = 10_000;

/**
 * The metadata of a running site.
 *
 * @see RFC 8414 §3.1, §5
 */
export async function fetchMetadata(io: Io, issuer: string): Promise<FetchedMetadata> {
  if (!URL.canParse(issuer) || !/^https?:/.test(issuer))
    throw new CliError(
      `'${issuer}' is not the URL of a site`,
      EXIT.usage,
      'Write --issuer https://photos.example',
    );
  const { beforePath, belowPath } = wellKnownUrlsOf(issuer, AUTHORIZATION_SERVER_METADATA);
  const urls = new Set([beforePath, belowPath]);
  let reason = '';
  for (const url of urls) {
    try {
      const response = await withProgress(io, `asking ${url}`, fetchOnce(url));
      const { ok, headers } = response;
      if (ok) return { url, headers, metadata: (await response.json()) as FetchedMetadata['metadata'] };
      reason = `${url} answers ${response.status}`;
    } catch (error) {
      const { message, cause } = error as Error;
      reason = `${url}: ${cause instanceof Error && cause.message !== '' ? cause.message : message}`;
    }
  }
  throw new CliError(
    `the site has no metadata that can be read: ${reason}`,
    EXIT.finding,
    'Is it running, and is this the issuer that it was started with? If a page is answered, or a login: write app.use(oauth.clientRouter) as the first line of the app.',
  );
}

/** One request with a timeout, which follows no redirect. */
export function fetchOnce(url: string, question: Omit<OutgoingRequest, 'redirect'> = {}): Promise<Response> {
  return sendRequest(url, { ...question, redirect: 'manual' }, TIMEOUT);
}
