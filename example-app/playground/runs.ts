import { type HttpExchange, type HttpRequest, send } from './http.js';
import { callbackMessage, type Message, parseObject, requestMessage, responseMessage } from './messages.js';
import { createSecrets, type Secrets } from './secrets.js';

/** The parties: the person's browser, the playground as a client, the authorization server, the API. */
export type Party = 'browser' | 'client' | 'server' | 'api';
export type Outcome = 'waiting' | 'fine' | 'refused';

/** A request and its response, as sent. */
export interface Exchange {
  readonly number: number;
  /** Id of the step or attack. */
  readonly step: string;
  readonly title: string;
  readonly from: Party;
  readonly to: Party;
  /** The front channel goes through the browser: the person and its extensions see the messages. */
  readonly channel: 'front' | 'back';
  readonly request: Message;
  readonly sent: string;
  response?: Message;
  /** Replaces a missing response. */
  readonly note?: string;
  /** A summary for the timeline: `200 access token`. */
  received?: string;
  outcome: Outcome;
}

/** The outcome of an attack. */
export interface Verdict {
  readonly isRefused: boolean;
  readonly sentences: readonly string[];
}

/** One visitor's try of one grant. */
export interface Run {
  readonly secrets: Secrets;
  readonly exchanges: Exchange[];
  readonly verdicts: Map<string, Verdict>;
  /** The client's stored values: state, code, tokens… */
  values: Readonly<Record<string, string>>;
  /** The input of each step, except for secrets. */
  readonly typed: Map<string, Readonly<Record<string, string>>>;
  /** Number of all exchanges, including the oldest, which are dropped. */
  count: number;
  /** Number of the first exchange of the visitor’s last step, which is displayed open. */
  latest: number;
}

/** A response, ready to be judged. */
export interface Answer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
  readonly error: string | undefined;
  /** The challenge of a refusal by the API. */
  readonly challenge?: string | undefined;
}

export interface ExchangeOptions extends Pick<Exchange, 'step' | 'title' | 'from' | 'to'> {
  readonly request: HttpRequest;
}

const MAX_EXCHANGES = 24;

export function createRun(): Run {
  return {
    secrets: createSecrets(),
    exchanges: [],
    verdicts: new Map(),
    typed: new Map(),
    values: {},
    count: 0,
    latest: 0,
  };
}

/** Sends a request to the photo site, and records it with its response. */
export async function exchange(run: Run, { request, ...about }: ExchangeOptions): Promise<Answer> {
  const result = await send(request);
  const json = parseObject(result.body);
  const error = errorOf(json, result);
  record(run, {
    ...about,
    channel: 'back',
    request: requestMessage(request, result.sent, run.secrets),
    sent: `${request.method} ${lastPart(request.url)}`,
    response: responseMessage(result, run.secrets),
    received: `${result.status} ${error ?? describe(json)}`.trim(),
    outcome: outcomeOf(result.status, error),
  });
  return { status: result.status, json, error, challenge: challengeOf(result) };
}

/** Records a redirect of the browser; `arrive` completes it when the browser is back. */
export function depart(run: Run, about: Pick<Exchange, 'step' | 'title'>, url: URL): void {
  const request = requestMessage({ method: 'GET', url }, [['Host', url.host]], run.secrets);
  record(run, {
    ...about,
    from: 'client',
    to: 'server',
    channel: 'front',
    request,
    sent: `GET ${lastPart(url)}`,
    outcome: 'waiting',
  });
}

/** Completes a redirect, with the server's response in the query or in the fragment. */
export function arrive(run: Run, url: URL, parameters: URLSearchParams): void {
  const waiting = run.exchanges.findLast(
    ({ channel, outcome }) => channel === 'front' && outcome === 'waiting',
  );
  if (waiting === undefined) return;
  const error = parameters.get('error');
  waiting.response = callbackMessage(url, parameters, run.secrets);
  waiting.received = error === null ? describe(Object.fromEntries(parameters)) || 'back' : shorten(error);
  waiting.outcome = error === null ? 'fine' : 'refused';
}

/** Records a forged request of the browser. The playground's judgement is internal, so no response is displayed. */
export function receive(
  run: Run,
  { isRefused, ...about }: Pick<Exchange, 'step' | 'title'> & { readonly isRefused: boolean },
  url: URL,
): void {
  record(run, {
    ...about,
    from: 'browser',
    to: 'client',
    channel: 'back',
    request: callbackMessage(url, url.searchParams, run.secrets),
    sent: `GET ${lastPart(url)}`,
    received: isRefused ? 'thrown away' : 'taken',
    outcome: isRefused ? 'refused' : 'fine',
    note: 'The playground has held it against what it remembers, and goes on as if nothing had come.',
  });
}

function record(run: Run, exchange: Omit<Exchange, 'number'>): void {
  run.count += 1;
  run.exchanges.push({ number: run.count, ...exchange });
  if (run.exchanges.length > MAX_EXCHANGES) run.exchanges.shift();
}

function errorOf(
  json: Readonly<Record<string, unknown>>,
  { status, headers }: HttpExchange,
): string | undefined {
  if (status < 400) return undefined;
  if (typeof json.error === 'string') return shorten(json.error);
  return /error="([^"]{1,40})"/.exec(challengeOf({ headers }) ?? '')?.[1] ?? 'refused';
}

function challengeOf({ headers }: Pick<HttpExchange, 'headers'>): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === 'www-authenticate')?.[1];
}

function outcomeOf(status: number, error: string | undefined): Outcome {
  // RFC 8628 §3.5: not refused, but pending
  if (error === 'authorization_pending' || error === 'slow_down') return 'waiting';
  return status < 400 ? 'fine' : 'refused';
}

function describe(json: Readonly<Record<string, unknown>>): string {
  if (typeof json.active === 'boolean') return json.active ? 'active' : 'not active';
  const given = [
    json.code && 'code',
    json.access_token && 'access token',
    json.refresh_token && 'refresh token',
    json.id_token && 'ID token',
    json.device_code && 'codes',
    json.request_uri && 'request_uri',
  ];
  return given.filter(Boolean).join(', ').replace('access token, refresh token', 'two tokens');
}

function lastPart({ pathname }: URL): string {
  return pathname.slice(pathname.lastIndexOf('/'));
}

function shorten(text: string): string {
  return text.length > 30 ? `${text.slice(0, 29)}…` : text;
}
