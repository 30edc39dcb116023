import { type Answer, send } from '../metadata.js';

/** RFC 2606 §2: an origin that nobody has, and that no list of origins includes. */
export const FOREIGN_ORIGIN = 'https://doctor.invalid';
/** The challenge of RFC 7636 Appendix B; no code will be redeemed. */
export const CHALLENGE = {
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};

/**
 * Requests a code for a client, at its first redirect URI, without a login. `location` is the target of the redirect,
 * `params` are those of a redirect to the client; each is undefined if there is none.
 */
export async function requestAuthorization(
  endpoint: string,
  { clientId, redirectUris: [redirectUri = ''] }: { clientId: string; redirectUris: readonly string[] },
  parameters: Readonly<Record<string, string | undefined>>,
) {
  const url = new URL(endpoint);
  const request = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, ...parameters };
  for (const [name, value] of Object.entries(request))
    if (value !== undefined) url.searchParams.set(name, value);
  const answer = await send(url.href);
  const target = answer.headers.get('location') ?? '';
  const location = target !== '' && URL.canParse(target, endpoint) ? new URL(target, endpoint) : undefined;
  const params = target.startsWith(redirectUri) ? location?.searchParams : undefined;
  return { answer, location, params };
}

export function postForm(url: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
  return send(url, { method: 'POST', headers, body: new URLSearchParams(fields) });
}

/** The preflight request of a browser for a POST by a script of another origin (Fetch §4.9). */
export function sendPreflight(url: string, headers: string): Promise<Answer> {
  return send(url, {
    method: 'OPTIONS',
    headers: {
      Origin: FOREIGN_ORIGIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': headers,
    },
  });
}

/** Whether scripts of other origins may read a response. */
export function allowsForeignOrigin({ headers }: Answer): boolean {
  return ['*', FOREIGN_ORIGIN].includes(headers.get('access-control-allow-origin') ?? '');
}

/** A response in a few words. */
export function describeAnswer({ status, headers, json, failure }: Answer): string {
  if (failure !== undefined) return `no answer (${failure})`;
  if (status >= 300 && status < 400)
    return `a redirect (${status}) to ${headers.get('location') ?? 'nowhere'}`;
  const error = typeof json?.error === 'string' ? ` ${json.error}` : '';
  const description = typeof json?.error_description === 'string' ? `: ${json.error_description}` : '';
  return `${status}${error}${description}`.slice(0, 300);
}

export function urlIn(value: unknown): string | undefined {
  return typeof value === 'string' && URL.canParse(value) ? value : undefined;
}
