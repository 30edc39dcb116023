import { createHash, randomBytes } from 'node:crypto';

import { createVisitor, type VisitedPage } from '../../package/visitor.js';
import { runCli } from '../../support/cli.js';
import type { TestDatabase } from '../../support/database.js';
import { createFetchByTls } from '../../support/fetch-by-tls.js';
import { NAVIGATION } from '../../support/visitor.js';

export const REDIRECT_URI = 'https://print.example/callback';
const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'];
export const PERSON = { username: 'ada', password: 'correct horse' };

interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Uses the command line, like the documents. */
export async function registerClient(
  database: TestDatabase,
  flags: readonly string[] = ['--redirect-uri', REDIRECT_URI, '--grant-types', ...GRANT_TYPES],
): Promise<RegisteredClient> {
  const named = ['--name', 'Print shop', '--scopes', 'photos:read', 'photos:write'];
  const { code, stdout, stderr } = await runCli(['clients', 'create', ...named, ...flags, '--json'], {
    env: { MONGODB_URI: database.uri },
  });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as RegisteredClient;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

export type Actions = ReturnType<typeof createActions>;

/** The actions of a client, and its user. */
export function createActions(issuer: string, { clientId, clientSecret }: RegisteredClient, ca?: string) {
  const send = ca === undefined ? fetch : createFetchByTls({ ca });
  const call = async (endpoint: 'token' | 'revoke', fields: Readonly<Record<string, string>>) => {
    const response = await send(`${issuer}/oauth/${endpoint}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams(fields),
    });
    return { status: response.status, body: (await response.json().catch(() => null)) as Tokens };
  };
  const person = createVisitor({
    stopAt: REDIRECT_URI,
    headers: NAVIGATION,
    ...(ca !== undefined && { ca }),
  });
  /** Logs in and allows, each if necessary. */
  const goOn = async (page: VisitedPage): Promise<VisitedPage> => {
    if (page.text.includes('id="login-form"')) return goOn(await person.submit(page, PERSON, 'login-form'));
    if (page.url.href.startsWith(REDIRECT_URI)) return page;
    return person.submit(page, { decision: 'allow' }, 'consent-form');
  };

  return {
    issuer,
    clientId,
    call,
    person,
    /** Tokens of the person by the code flow with PKCE. */
    async obtainTokens(scope: string): Promise<Tokens> {
      const verifier = randomBytes(32).toString('base64url');
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: REDIRECT_URI,
        scope,
        state: 'of the client',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      const page = await person.open(`${issuer}/oauth/authorize?${query.toString()}`);
      const answer = (await goOn(page)).url.searchParams;
      if (answer.get('state') !== 'of the client') throw new Error(`the answer is ${answer.toString()}`);
      const { status, body } = await call('token', {
        grant_type: 'authorization_code',
        code: answer.get('code') ?? '',
        redirect_uri: REDIRECT_URI,
        code_verifier: verifier,
      });
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body;
    },
    /** The client's token for itself. */
    async obtainOwnToken(scope: string): Promise<string> {
      return (await call('token', { grant_type: 'client_credentials', scope })).body.access_token;
    },
    async revoke(token: string): Promise<void> {
      const { status } = await call('revoke', { token });
      if (status !== 200) throw new Error(`it is not revoked: ${status}`);
    },
    /** Calls an API with a token. */
    async get(path: string, token?: string) {
      const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const response = await send(`${issuer}${path}`, { headers });
      const challenge = response.headers.get('WWW-Authenticate');
      const text = await response.text();
      return { status: response.status, challenge, body: parse(text) };
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
