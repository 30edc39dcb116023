import type { RawResponse } from './raw-http.js';
import { REDIRECT_URI } from './site.js';

/** The outcome of a request at an endpoint. */
export type Outcome = 'refused' | 'accepted' | 'sent to the login' | 'refused by Node';

/** Classifies an answer; throws if neither the RFCs nor our pages have such an answer. */
export function outcomeOf(
  { name }: { readonly name: string },
  { status, headers, body }: RawResponse,
): Outcome {
  const [type = ''] = headers['content-type'] ?? [];
  const answer = `${name}: ${status} ${type} ${body.slice(0, 300)}`;
  if (status >= 500 || status < 200) throw new Error(answer);
  // invalid HTTP never reaches Express; Node answers it with just the status
  if (type === '' && body === '' && (status === 400 || status === 431)) return 'refused by Node';
  if (name === 'a guarded route') return guardOutcomeOf(status, headers['www-authenticate'] ?? [], answer);
  if (name.startsWith('token')) return tokenOutcomeOf(status, type, body, answer);
  if (status >= 300 && status < 400) return redirectOutcomeOf(status, headers.location?.[0] ?? '', answer);
  // a complete page that must be neither cached nor framed
  const isPage =
    /^text\/html/.test(type) &&
    body.trimEnd().endsWith('</html>') &&
    headers['cache-control']?.[0] === 'no-store' &&
    /frame-ancestors 'none'/.test(headers['content-security-policy']?.[0] ?? '');
  if (!isPage) throw new Error(`no page: ${answer}`);
  return status < 400 ? 'accepted' : 'refused';
}

function guardOutcomeOf(status: number, challenges: readonly string[], answer: string): Outcome {
  // Express answers 304 to If-None-Match
  if ([200, 304].includes(status) && challenges.length === 0) return 'accepted';
  // RFC 6750 §3
  const isChallenge =
    challenges.length === 1 &&
    /^Bearer realm="[^"]+"(, [a-z_]+="[\x20-\x21\x23-\x5b\x5d-\x7e]*")*$/.test(challenges[0] ?? '');
  if (![400, 401, 403].includes(status) || !isChallenge)
    throw new Error(`no challenge of RFC 6750 §3: ${answer}`);
  return 'refused';
}

function tokenOutcomeOf(status: number, type: string, body: string, answer: string): Outcome {
  if (type !== 'application/json;charset=UTF-8') throw new Error(`no JSON: ${answer}`);
  const json = JSON.parse(body) as Record<string, unknown>;
  // tokens, {} for a revocation, or the answer of an introspection
  if (
    status === 200 &&
    (typeof json.access_token === 'string' ||
      typeof json.device_code === 'string' ||
      body === '{}' ||
      json.active === true)
  )
    return 'accepted';
  if (status === 200 && body === '{"active":false}') return 'refused';
  // RFC 6749 §5.2
  const isError =
    status >= 400 &&
    Object.keys(json).join() === 'error,error_description' &&
    /^invalid_(request|client|grant|scope)$|^unauthorized_client$|^unsupported_grant_type$/.test(
      String(json.error),
    );
  if (!isError || !/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/.test(String(json.error_description)))
    throw new Error(`no error of RFC 6749 §5.2: ${answer}`);
  return 'refused';
}

function redirectOutcomeOf(status: number, location: string, answer: string): Outcome {
  if (status !== 302 && status !== 303) throw new Error(`no redirect: ${answer}`);
  if (location.startsWith('/login?return_to=%2Foauth%2F')) return 'sent to the login';
  if (/^\/oauth\/(applications|authorizations|device\/request)/.test(location)) return 'accepted';
  const url = new URL(location);
  const parameters = url.searchParams;
  // RFC 6749 §4.1.2, §4.1.2.1: code or error, never both, and only to the registered URI; only a GET redirects to a
  // client
  if (status !== 302) throw new Error(`${status} to ${location}: ${answer}`);
  if (`${url.origin}${url.pathname}` !== REDIRECT_URI || parameters.has('code') === parameters.has('error'))
    throw new Error(`no response: ${location}: ${answer}`);
  return parameters.has('code') ? 'accepted' : 'refused';
}
