import type { Emit } from '../../../core/observability/events.js';
import { messageOf, toOAuthError } from '../../../shared/errors.js';
import { createBackoff, pause } from '../../../shared/limits/backoff.js';
import { isObject } from '../../../shared/schema.js';
import { POLL_METHOD } from '../event-types.js';
import type { ReceiverParts } from './intake.js';
import type { TransmitterApi } from './transmitter-api.js';
import type { TransmitterClient } from './transmitter-client.js';

/** Milliseconds that the transmitter may delay a response until there is an event (RFC 8936 §2.2). */
const TIMEOUT = 90_000;
/** A response within so many milliseconds was not delayed; if it is empty, the next poll follows after a pause. */
const QUICK = 1000;
const PAUSE = 10_000;
/** Milliseconds until the next attempt after a failure. */
const FIRST_RETRY = 1000;
const MAX_RETRY = 60_000;

/**
 * Polls one transmitter while the server runs, and creates a stream there if it has none.
 *
 * @param onProblem called when polling begins to fail
 */
export function createPollWorker({
  issuer,
  api,
  client,
  take,
  emit,
  onProblem,
}: {
  readonly issuer: string;
  readonly api: TransmitterApi;
  readonly client: TransmitterClient;
  readonly take: ReceiverParts['take'];
  readonly emit: Emit;
  readonly onProblem: (problem: string, cause: unknown) => void;
}) {
  const closing = new AbortController();
  const { signal } = closing;
  /** The results of the tokens in the last response of each address, for its next poll. */
  const acknowledgements = new Map<string, object>();
  let urls: readonly string[] | undefined;

  /** The addresses of the polled streams; creates a stream if there is none. */
  const findUrls = async (): Promise<readonly string[]> => {
    const streams = await client.readStreams();
    const polled = streams.filter(({ delivery }) => delivery.method === POLL_METHOD);
    if (polled.length === 0) polled.push(await client.createStream());
    return polled.map(({ stream_id: id, delivery: { endpoint_url: url } }) => {
      if (url !== undefined && URL.canParse(url)) return url;
      throw new Error(`the stream ${id} has no endpoint_url to poll`);
    });
  };

  /** RFC 8936 §2.4: acknowledges the last tokens and fetches more. Resolves to the number of processed tokens. */
  const poll = async (url: string, isAlone: boolean): Promise<number> => {
    const last = acknowledgements.get(url) ?? { ack: [], setErrs: {} };
    const body = { ...last, returnImmediately: !isAlone };
    // §2.6: the language of the descriptions
    const headers = { 'content-language': 'en' };
    const { status, body: answer } = await api.call({ method: 'POST', url, body, headers, signal }, TIMEOUT);
    if (status !== 200) throw new Error(`${issuer} answered a poll with status ${status}`);
    const { sets } = (answer ?? {}) as { readonly sets?: unknown };
    if (!isObject(sets)) throw new Error(`${issuer} answered a poll without sets`);
    const ack: string[] = [];
    const setErrs: Record<string, { err: string; description: string }> = {};
    for (const [jti, jwt] of Object.entries(sets)) {
      try {
        await take(String(jwt), { polledFrom: issuer, now: new Date(), emit });
        ack.push(jti);
      } catch (thrown) {
        const { error, description, status, reason } = toOAuthError(thrown);
        // a temporary failure is neither acknowledged nor refused, so that the token is sent again
        if (status >= 500) continue;
        emit('signal.refused', { error, reason });
        setErrs[jti] = { err: error, description };
      }
    }
    acknowledgements.set(url, { ack, setErrs });
    // failed tokens do not count: the next poll waits before it gets them again
    return ack.length + Object.keys(setErrs).length;
  };
  const run = async (): Promise<void> => {
    const backoff = createBackoff(FIRST_RETRY, MAX_RETRY);
    let isFailing = false;
    while (!signal.aborted) {
      try {
        urls ??= await findUrls();
        const begun = performance.now();
        let count = 0;
        for (const url of urls) count += await poll(url, urls.length === 1);
        if (count === 0 && performance.now() - begun < QUICK) await pause(PAUSE, signal);
        isFailing = false;
        backoff.reset();
      } catch (cause) {
        if (signal.aborted) return;
        if (!isFailing) onProblem(messageOf(cause), cause);
        isFailing = true;
        // the stream may have been deleted
        urls = undefined;
        await pause(backoff.next(), signal);
      }
    }
  };
  const running = run();

  return {
    /** Resolves once nothing is being fetched. */
    async close() {
      closing.abort();
      await running;
    },
  };
}
