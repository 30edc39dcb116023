import type { Header, HttpExchange, HttpRequest } from './http.js';
import type { Piece, Secrets } from './secrets.js';

export interface NamedValue {
  readonly name: string;
  readonly value: readonly Piece[];
}

/** An HTTP message, formatted for reading. */
export interface Message {
  readonly startLine: readonly Piece[];
  readonly headers: readonly NamedValue[];
  /** Headers unrelated to OAuth, which any careful site sends. */
  readonly otherHeaders: readonly NamedValue[];
  readonly body: readonly Piece[];
  /** Explained values: parameters, members of the JSON, some headers. */
  readonly parameters: readonly NamedValue[];
}

/** Maximum recorded length of a text. */
const MAX_TEXT = 4000;
/** Maximum recorded length of a page, whose text does not matter here. */
const MAX_HTML = 200;
const SPOKEN_HEADERS = [
  'host',
  'accept',
  'authorization',
  'content-type',
  'cache-control',
  'pragma',
  'www-authenticate',
  'dpop',
  'location',
  'retry-after',
  'access-control-allow-origin',
];
const REPORTED_HEADERS = ['authorization', 'dpop', 'cache-control', 'www-authenticate', 'retry-after'];

export function requestMessage(
  { method, url, form }: HttpRequest,
  sent: readonly Header[],
  secrets: Secrets,
): Message {
  const headers = sent.map((header) => describeHeader(header, secrets));
  const reported = reportedHeaders(headers);
  return {
    startLine: [
      { text: `${method} ${url.pathname}` },
      ...formPieces(url.searchParams, secrets, '?'),
      { text: ' HTTP/1.1' },
    ],
    ...sortHeaders(headers),
    body: form === undefined ? [] : formPieces(form, secrets),
    parameters: [
      ...reported,
      ...describeParameters(url.searchParams, secrets),
      ...(form === undefined ? [] : describeParameters(form, secrets)),
    ],
  };
}

export function responseMessage(
  { status, statusText, headers: received, body }: HttpExchange,
  secrets: Secrets,
): Message {
  const json = parseObject(body);
  const members = describeMembers(json, secrets);
  const headers = received.map((header) => describeHeader(header, secrets));
  return {
    startLine: [{ text: `HTTP/1.1 ${status} ${statusText}` }],
    ...sortHeaders(headers),
    body: secrets.cut(isHtml(received) ? limit(body, MAX_HTML) : limit(layOut(body))),
    parameters: [...reportedHeaders(headers), ...members],
  };
}

/** The browser's request to a redirect URI, which carries the server's response in the front channel. */
export function callbackMessage(url: URL, parameters: URLSearchParams, secrets: Secrets): Message {
  const mark = url.search === '' ? '#' : '?';
  return {
    startLine: [
      { text: `GET ${url.pathname}` },
      ...formPieces(parameters, secrets, mark),
      { text: ' HTTP/1.1' },
    ],
    headers: [{ name: 'Host', value: [{ text: url.host }] }],
    otherHeaders: [],
    body: [],
    parameters: describeParameters(parameters, secrets),
  };
}

/** The JSON object in a body; empty if there is none. */
export function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

/** The visitor's cookies, which stay hidden even with the other secrets displayed. */
const COOKIE_HEADERS = ['cookie', 'set-cookie'];

function describeHeader([name, value]: Header, secrets: Secrets): NamedValue {
  if (COOKIE_HEADERS.includes(name.toLowerCase()))
    return { name, value: [{ text: '(of your login; this page keeps it to your browser)' }] };
  const [, scheme, credentials] =
    name.toLowerCase() === 'authorization' ? (/^(Basic|Bearer|DPoP) (.+)$/.exec(value) ?? []) : [];
  if (scheme === undefined || credentials === undefined) return { name, value: secrets.cut(limit(value)) };
  return {
    name,
    value: [{ text: `${scheme} ` }, secrets.hide(scheme === 'Basic' ? 'basic' : 'access_token', credentials)],
  };
}

function sortHeaders(all: readonly NamedValue[]): Pick<Message, 'headers' | 'otherHeaders'> {
  const isSpoken = ({ name }: NamedValue) => SPOKEN_HEADERS.includes(name.toLowerCase());
  return { headers: all.filter(isSpoken), otherHeaders: all.filter((header) => !isSpoken(header)) };
}

function reportedHeaders(headers: readonly NamedValue[]): NamedValue[] {
  return headers.filter(({ name }) => REPORTED_HEADERS.includes(name.toLowerCase()));
}

function formPieces(form: URLSearchParams, secrets: Secrets, before = ''): Piece[] {
  const pieces = [...form].flatMap(([name, value], index): Piece[] => {
    const [encodedName = '', encodedValue = ''] = new URLSearchParams([[name, value]]).toString().split('=');
    const displayed = limit(encodedValue);
    const piece =
      secrets.isSecret(name) && value !== ''
        ? { text: displayed, secret: secrets.learn(name, value) }
        : { text: displayed };
    return [{ text: `${index === 0 ? before : '&'}${encodedName}=` }, piece];
  });
  return pieces.filter((piece) => piece.text !== '');
}

function describeParameters(form: URLSearchParams, secrets: Secrets): NamedValue[] {
  return [...form].map(([name, value]) => ({
    name,
    value:
      secrets.isSecret(name) && value !== '' ? [secrets.hide(name, limit(value))] : secrets.cut(limit(value)),
  }));
}

function describeMembers(json: Readonly<Record<string, unknown>>, secrets: Secrets): NamedValue[] {
  return Object.entries(json).map(([name, value]) => {
    if (typeof value === 'string' && secrets.isSecret(name))
      return { name, value: [secrets.hide(name, value)] };
    return {
      name,
      value: secrets.cut(limit(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))),
    };
  });
}

function layOut(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function isHtml(headers: readonly Header[]): boolean {
  return headers.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value.startsWith('text/html'),
  );
}

function limit(text: string, max = MAX_TEXT): string {
  return text.length > max ? `${text.slice(0, max)}… (${text.length - max} more characters)` : text;
}
