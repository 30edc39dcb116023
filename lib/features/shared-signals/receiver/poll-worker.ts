import type { Emit } from '../../../core/observability/events.js';
import { messageOf, toOAuthError } from '../../../shared/errors.js';
import { createBackoff, pause } from '../../../shared/limits/backoff.js';
import { POLL_METHOD } from '../delivery-methods.js';
import type { TakeEventToken } from './intake.js';
import type { TransmitterApi } from './transmitter-api.js';
import type { ReadStream, TransmitterClient } from './transmitter-client.js';

export interface PollWorkerDependencies {
  readonly issuer: string;
  readonly api: TransmitterApi;
  readonly client: TransmitterClient;
  readonly take: TakeEventToken;
  readonly emit: Emit;
  /** Called when polling begins to fail. */
  readonly onProblem: (problem: string, cause: unknown) => void;
}

/** Fetches what a transmitter has. */
export interface PollWorker {
  /** Resolves once nothing is being fetched. */
  close(): Promise<void>;
}

/** Milliseconds that the transmitter may hold an answer back until there is news (RFC 8936 §2.2). */
const TIMEOUT = 90_000;
/** Milliseconds of an answer that was not held back; one without news comes again after a pause. */
const QUICK = 1000;
const PAUSE = 10_000;
/** Milliseconds until the next try after a failure. */
const FIRST_RETRY = 1000;
const MAX_RETRY = 60_000;

/** What became of the tokens of an answer (RFC 8936 §2.4). */
interface Acknowledgement {
  readonly ack: readonly string[];
  readonly setErrs: Readonly<Record<string, { readonly err: string; readonly description: string }>>;
}

const NOTHING: Acknowledgement = { ack: [], setErrs: {} };

/** Polls one transmitter for as long as the server runs, and makes a stream there if there is none. */
export function createPollWorker(dependencies: PollWorkerDependencies): PollWorker {
  const { issuer, api, client, onProblem } = dependencies;
  const closing = new AbortController();
  const { signal } = closing;
  const acknowledgements = new Map<string, Acknowledgement>();
  let urls: readonly string[] | undefined;

  /** RFC 8936 §2.4: what was fetched before is acknowledged as more is fetched. Resolves to how much came. */
  const poll = async (url: string, isAlone: boolean): Promise<number> => {
    const body = { ...(acknowledgements.get(url) ?? NOTHING), returnImmediately: !isAlone };
    // §2.6: the language of the descriptions
    const headers = { 'content-language': 'en' };
    const { status, body: answer } = await api.call({ method: 'POST', url, body, headers, signal }, TIMEOUT);
    if (status !== 200) throw new Error(`${issuer} answered a poll with status ${status}`);
    const { sets } = (answer ?? {}) as { readonly sets?: unknown };
    if (typeof sets !== 'object' || sets === null || Array.isArray(sets))
      throw new Error(`${issuer} answered a poll without sets`);
    acknowledgements.set(url, await takeAll(sets, dependencies));
    return Object.keys(sets).length;
  };
  const run = async (): Promise<void> => {
    const backoff = createBackoff(FIRST_RETRY, MAX_RETRY);
    let isFailing = false;
    while (!signal.aborted) {
      try {
        urls ??= await findPollUrls(client);
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
        // the stream may be gone
        urls = undefined;
        await pause(backoff.next(), signal);
      }
    }
  };
  const running = run();

  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** The addresses of the streams that are polled; one is made if there is none. */
async function findPollUrls(client: TransmitterClient): Promise<readonly string[]> {
  const polled = (await client.readStreams()).filter(({ delivery }) => delivery.method === POLL_METHOD);
  const streams: readonly ReadStream[] = polled.length > 0 ? polled : [await client.createStream()];
  return streams.map(({ stream_id: id, delivery: { endpoint_url: url } }) => {
    if (url === undefined || !URL.canParse(url))
      throw new Error(`the stream ${id} has no endpoint_url to poll`);
    return url;
  });
}

/** What cannot be taken for the moment is neither acknowledged nor refused, so it comes again. */
async function takeAll(
  sets: object,
  { issuer, take, emit }: PollWorkerDependencies,
): Promise<Acknowledgement> {
  const ack: string[] = [];
  const setErrs: Record<string, { err: string; description: string }> = {};
  for (const [jti, jwt] of Object.entries(sets)) {
    try {
      await take(String(jwt), { polledFrom: issuer, now: new Date(), emit });
      ack.push(jti);
    } catch (thrown) {
      const { error, description, status, reason } = toOAuthError(thrown);
      if (status >= 500) continue;
      emit('signal.refused', { error, reason });
      setErrs[jti] = { err: error, description };
    }
  }
  return { ack, setErrs };
}
