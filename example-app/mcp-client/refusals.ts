/** The last refusal that an authorization request could mend. */
export interface Refusals {
  /** A `fetch` that reads the challenges of answers. */
  readonly fetch: typeof fetch;
  /** Whether a person has to be asked for more than the client has. */
  readonly isPending: () => boolean;
  /** Copies what the challenge says into an authorization request. This client understands nothing of it. */
  readonly copyTo: (request: URLSearchParams) => void;
}

export function readRefusals(): Refusals {
  let challenge: ReadonlyMap<string, string> | undefined;
  return {
    async fetch(url, options) {
      const response = await fetch(url, options);
      const said = parametersOf(response.headers.get('WWW-Authenticate') ?? '');
      // the SDK itself takes care of a missing token, and of missing scopes
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
