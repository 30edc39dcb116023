import { fetchOnce } from '../../metadata.js';

export interface AgentAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it is a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** An answer, or why there is none. */
export type AgentResponse = AgentAnswer | Error;

type AgentRequest = NonNullable<Parameters<typeof fetchOnce>[1]>;

/** Never throws: agents may also find that nobody answers. */
export async function requestAsAgent(url: string, question: AgentRequest = {}): Promise<AgentResponse> {
  try {
    const response = await fetchOnce(url, question);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parseObject(text) };
  } catch (thrown) {
    const { message, cause } = thrown as Error;
    return new Error(cause instanceof Error && cause.message !== '' ? cause.message : message);
  }
}

export function postForm(url: string, fields: Readonly<Record<string, string>>): Promise<AgentResponse> {
  return requestAsAgent(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams(fields),
  });
}

export function postJson(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<AgentResponse> {
  return requestAsAgent(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

/** How something answers, in a few words. */
export function describeAnswer(response: AgentResponse): string {
  if (response instanceof Error) return `no answer (${response.message})`;
  const { status, headers, json } = response;
  if (status >= 300 && status < 400)
    return `a redirect (${status}) to ${headers.get('location') ?? 'nowhere'}`;
  const error = typeof json?.error === 'string' ? ` ${json.error}` : '';
  const description = typeof json?.error_description === 'string' ? `: ${json.error_description}` : '';
  return `${status}${error}${description}`.slice(0, 300);
}

export function errorOf(response: AgentResponse): string | undefined {
  return response instanceof Error || typeof response.json?.error !== 'string'
    ? undefined
    : response.json.error;
}

function parseObject(text: string): AgentAnswer['json'] {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

export function urlIn(value: unknown): string | undefined {
  return typeof value === 'string' && URL.canParse(value) ? value : undefined;
}
