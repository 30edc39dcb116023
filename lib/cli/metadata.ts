import { messageOf } from '../shared/errors.js';
import { type OutgoingRequest, sendRequest } from '../shared/outbound/send-request.js';
import { AUTHORIZATION_SERVER_METADATA, wellKnownUrls } from '../shared/protocol/well-known.js';
import { CliError, notFound } from './exit.js';
import type { Io } from './io.js';
import { withProgress } from './output.js';

export type Metadata = Readonly<Record<string, unknown>>;

/** The response of a URL; the status is 0 if there is none. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it is a JSON object. */
  readonly json: Metadata | undefined;
  /** The body, if it is a JSON object with status 200. */
  readonly document?: Metadata | undefined;
  /** Why there is no response. */
  readonly failure?: string;
}

/** Milliseconds. */
const TIMEOUT = 10_000;

/** @throws CliError unless the text is the URL of a site */
export function checkSiteUrl(issuer: string): void {
  if (!URL.canParse(issuer) || !/^https?:/.test(issuer))
    throw new CliError(`'${issuer}' is not the URL of a site`, 'Write --issuer https://photos.example');
}

/**
 * The metadata of a running site.
 *
 * @see RFC 8414 §3.1, §5
 */
export async function fetchMetadata(io: Io, issuer: string) {
  checkSiteUrl(issuer);
  const { beforePath, belowPath } = wellKnownUrls(issuer, AUTHORIZATION_SERVER_METADATA);
  let reason = '';
  for (const url of new Set([beforePath, belowPath])) {
    const { status, headers, text, failure } = await withProgress(io, `asking ${url}`, send(url));
    reason = failure === undefined ? `${url} answers ${status}` : `${url}: ${failure}`;
    if (status < 200 || status > 299) continue;
    try {
      return { url, headers, metadata: JSON.parse(text) as Metadata };
    } catch (error) {
      reason = `${url}: ${messageOf(error)}`;
    }
  }
  throw notFound(
    `the site has no metadata that can be read: ${reason}`,
    'Is it running, and is this the issuer that it was started with? If a page is answered, or a login: write app.use(oauth.clientRouter) as the first line of the app.',
  );
}

/** Sends one request with a timeout, and follows no redirect. Never throws. */
export async function send(url: string, request: OutgoingRequest = {}): Promise<Answer> {
  try {
    const response = await sendRequest(url, { ...request, redirect: 'manual' }, TIMEOUT);
    const { status, headers } = response;
    const text = await response.text();
    let json: Metadata | undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (value !== null && typeof value === 'object' && !Array.isArray(value)) json = value as Metadata;
    } catch {
      // no JSON, or no body
    }
    return { status, headers, text, json, document: status === 200 ? json : undefined };
  } catch (thrown) {
    const { message, cause } = thrown as Error;
    const failure = cause instanceof Error && cause.message !== '' ? cause.message : message;
    return { status: 0, headers: new Headers(), text: '', json: undefined, failure };
  }
}

/** The texts in a list of the metadata; empty if there is no list. */
export function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
