import { fetchOnce } from '../../metadata.js';

export type Json = Readonly<Record<string, unknown>>;

/** What a URL answers; the status is 0 if nothing does. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body, if it is a JSON object. */
  readonly json: Json | undefined;
  readonly failure?: string;
}

/** Never throws: agents may also find that nobody answers. */
export async function send(url: string, request: Parameters<typeof fetchOnce>[1] = {}): Promise<Answer> {
  try {
    const response = await fetchOnce(url, request);
    const { status, headers } = response;
    const json = await response.json().catch(() => undefined);
    const isObject = json !== null && typeof json === 'object' && !Array.isArray(json);
    return { status, headers, json: isObject ? (json as Json) : undefined };
  } catch (thrown) {
    const { message, cause } = thrown as Error;
    const failure = cause instanceof Error && cause.message !== '' ? cause.message : message;
    return { status: 0, headers: new Headers(), json: undefined, failure };
  }
}

export function postForm(url: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
  return send(url, { method: 'POST', headers, body: new URLSearchParams(fields) });
}

export function postJson(url: string, body: object, more: Record<string, string> = {}): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return send(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
}

/** How something answers, in a few words. */
export function describeAnswer({ status, headers, json, failure }: Answer): string {
  if (failure !== undefined) return `no answer (${failure})`;
  if (status >= 300 && status < 400)
    return `a redirect (${status}) to ${headers.get('location') ?? 'nowhere'}`;
  const error = typeof json?.error === 'string' ? ` ${json.error}` : '';
  const description = typeof json?.error_description === 'string' ? `: ${json.error_description}` : '';
  return `${status}${error}${description}`.slice(0, 300);
}

export function documentIn({ status, json }: Answer): Json | undefined {
  return status === 200 ? json : undefined;
}

export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

export function urlIn(value: unknown): string | undefined {
  return typeof value === 'string' && URL.canParse(value) ? value : undefined;
}
