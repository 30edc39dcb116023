/** The last refusal that a new authorization could resolve. */
export interface Refusals {
  /** A `fetch` that reads the challenges of responses. */
  readonly fetch: typeof fetch;
  /** Whether the person must allow more than the client has. */
  readonly isPending: () => boolean;
  /** Copies the parameters of the challenge into an authorization request, without interpreting them. */
  readonly copyTo: (request: URLSearchParams) => void;
}

export function readRefusals(): Refusals {
  let challenge: ReadonlyMap<string, string> | undefined;
  return {
    async fetch(url, options) {
      const response = await fetch(url, options);
      const said = parametersOf(response.headers.get('WWW-Authenticate') ?? '');
      // the SDK itself handles a missing token, and missing scopes
      const isMendable = /^insufficient_(user_authentication|authorization)$/.test(said.get('error') ?? '');
      if (response.status === 401 && isMendable) challenge = said;
      return response;
    },
    isPending: () => challenge !== undefined,
    copyTo(request) {
      // RFC 9470 §4
      for (const name of ['acr_values', 'max_age']) {
        const value = challenge?.get(name);
        if (value !== undefined) request.set(name, value);
      }
      // OAuth 2.0 RAR Metadata and Error Remediation §7.1.3
      const remediation = challenge?.get('authorization_remediation');
      if (remediation !== undefined) {
        const { authorization_details: details } = JSON.parse(
          Buffer.from(remediation, 'base64url').toString(),
        ) as { authorization_details?: unknown };
        if (details !== undefined) request.set('authorization_details', JSON.stringify(details));
      }
      challenge = undefined;
    },
  };
}

function parametersOf(challenge: string): ReadonlyMap<string, string> {
  return new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}
