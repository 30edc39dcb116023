import { request } from 'node:https';

export interface TlsTrust {
  readonly ca: string;
  /** The certificate of the client; default: none. */
  readonly cert?: string;
  readonly key?: string;
}

/** Like `fetch`, but with certificates, for which a runtime's `fetch` has no option. No redirect is followed. */
export function createFetchByTls(
  trust: TlsTrust,
): (address: string | URL, init?: object) => Promise<Response> {
  return (address, init = {}) => {
    const { method = 'GET', headers, body } = init as RequestInit;
    const requested = new Headers(headers);
    if (body instanceof URLSearchParams && !requested.has('content-type'))
      requested.set('content-type', 'application/x-www-form-urlencoded');
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL(address),
        { method, headers: Object.fromEntries(requested), ...trust, agent: false },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => {
            const { statusCode: status = 0, rawHeaders } = answer;
            const pairs = rawHeaders.flatMap((name, index): [string, string][] =>
              index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
            );
            const text = status === 204 ? null : Buffer.concat(chunks).toString();
            resolve(new Response(text, { status, headers: pairs }));
          });
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined || body === null ? undefined : String(body as URLSearchParams));
    });
  };
}
