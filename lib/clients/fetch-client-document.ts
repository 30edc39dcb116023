import { after } from '../after.js';
import { messageOf } from '../errors.js';
import { createFailureLimit, failureKey } from '../limits/failure-limit.js';
import { fetchJsonAnswer, type FetchLimits, type JsonAnswer } from '../outbound/fetch-json.js';
import { freshFor } from '../outbound/fresh-for.js';
import { createWaitingRoom } from '../outbound/waiting-room.js';
import { isLoopbackHost } from '../protocol/redirect-uri.js';
import type { ClientDocument } from './client.js';
import { unusableDocument } from './unusable-document.js';

/** A document as it came, unchecked. */
export interface FetchedDocument {
  readonly body: unknown;
  readonly document: ClientDocument;
}

/**
 * Fetches the document at a client id; those who ask at the same moment get the same answer.
 *
 * @throws OAuthError invalid_client if it cannot be fetched; temporarily_unavailable if there are too many requests
 */
export type FetchClientDocument = (clientId: string, now: Date) => Promise<FetchedDocument>;

export interface FetchClientDocumentOptions extends Omit<FetchLimits, 'allowPrivateAddresses'> {
  /** Whether it may be on this machine. */
  readonly allowLoopback: boolean;
  /** Seconds. */
  readonly minCacheTtl: number;
  /** Seconds. */
  readonly maxCacheTtl: number;
  /** Whether there are limits at all. */
  readonly isLimited: boolean;
}

/** Each holds some kilobytes while the server of a client thinks, or pretends to. */
const WAITING = { size: 200, perKey: 20 };
/**
 * Requests in a minute: anybody can name any address, and it is we who ask there. Errors are not cached (§5.2: MUST
 * NOT), so that a server that is back is heard at once.
 */
const LIMITS = { document: 10, host: 60, all: 600 };

/** @see OAuth Client ID Metadata Document §5, §8.6, §8.7 */
export function createFetchClientDocument({
  minCacheTtl,
  maxCacheTtl,
  isLimited,
  allowLoopback,
  ...limits
}: FetchClientDocumentOptions): FetchClientDocument {
  const wait = createWaitingRoom(WAITING);
  const underway = new Map<string, Promise<FetchedDocument>>();
  const limitOf = (failures: number) =>
    createFailureLimit(isLimited && { failures, window: 60, counted: 'fetches of documents of clients' });
  const [ofDocument, ofHost, ofAll] = [limitOf(LIMITS.document), limitOf(LIMITS.host), limitOf(LIMITS.all)];

  const fetchNow = async (clientId: string, now: Date): Promise<FetchedDocument> => {
    const { host, hostname } = new URL(clientId);
    const allowPrivateAddresses = allowLoopback && isLoopbackHost(hostname);
    await ofDocument.spend(failureKey({}, clientId));
    await ofHost.spend(failureKey({}, host));
    await ofAll.spend('');
    const { body, headers } = await wait(host, () =>
      explain(fetchJsonAnswer(clientId, { ...limits, allowPrivateAddresses }), clientId),
    );
    checkType(headers);
    const life = Math.min(Math.max(freshFor(headers), minCacheTtl), maxCacheTtl);
    return { body, document: { fetchedAt: now, freshUntil: after(now, life) } };
  };

  return (clientId, now) => {
    const begun = underway.get(clientId);
    if (begun !== undefined) return begun;
    const fetched = fetchNow(clientId, now).finally(() => underway.delete(clientId));
    underway.set(clientId, fetched);
    return fetched;
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
