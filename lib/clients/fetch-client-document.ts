import { after } from '../after.js';
import { messageOf } from '../errors.js';
import { fetchJsonAnswer, type FetchLimits, type JsonAnswer } from '../outbound/fetch-json.js';
import { freshFor } from '../outbound/fresh-for.js';
import { isLoopbackHost } from '../protocol/redirect-uri.js';
import type { ClientDocument } from './client.js';
import { unusableDocument } from './unusable-document.js';

/** A document as it came, unchecked. */
export interface FetchedDocument {
  readonly body: unknown;
  readonly document: ClientDocument;
}

/**
 * Fetches the document at a client id.
 *
 * @throws OAuthError invalid_client if it cannot be fetched
 */
export type FetchClientDocument = (clientId: string, now: Date) => Promise<FetchedDocument>;

export interface FetchClientDocumentOptions extends Omit<FetchLimits, 'allowPrivateAddresses'> {
  /** Whether it may be on this machine. */
  readonly allowLoopback: boolean;
  /** Seconds. */
  readonly minCacheTtl: number;
  /** Seconds. */
  readonly maxCacheTtl: number;
}

/** @see OAuth Client ID Metadata Document §5, §8.6, §8.7 */
export function createFetchClientDocument({
  minCacheTtl,
  maxCacheTtl,
  allowLoopback,
  ...limits
}: FetchClientDocumentOptions): FetchClientDocument {
  return async (clientId, now) => {
    const allowPrivateAddresses = allowLoopback && isLoopbackHost(new URL(clientId).hostname);
    const answer = fetchJsonAnswer(clientId, { ...limits, allowPrivateAddresses });
    const { body, headers } = await explain(answer, clientId);
    checkType(headers);
    const life = Math.min(Math.max(freshFor(headers), minCacheTtl), maxCacheTtl);
    return { body, document: { fetchedAt: now, freshUntil: after(now, life) } };
  };
}

/** §4: JSON, or a type based on it; a page that happens to be JSON was not meant to be a document. */
function checkType({ 'content-type': type = '' }: JsonAnswer['headers']): void {
  if (/^application\/([a-z0-9.!#$&^_-]+\+)?json\s*(;|$)/i.test(type)) return;
  throw unusableDocument('is not sent as application/json');
}

/** The cause is for the log: clients are not told what can be reached from this server. */
async function explain<T>(answer: Promise<T>, clientId: string): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw unusableDocument('could not be fetched', {
      detail: `${clientId} ${messageOf(cause)}`,
      cause,
    });
  }
}
