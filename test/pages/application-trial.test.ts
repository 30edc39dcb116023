import { execFileSync } from 'node:child_process';

import { describe, expect, it } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret, NewClient } from '../../lib/index.js';
import { logInPerson, unescapeHtml } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, redeem } from '../support/tokens.js';

/** Does the request of a curl command, with its words as the shell splits them. */
async function runAsCurl(script: string, secret = ''): Promise<string> {
  const terms = execFileSync('bash', ['-c', `curl() { printf '%s\\n' "$@"; }\n${script}`], {
    env: { ...process.env, CLIENT_SECRET: secret },
    encoding: 'utf8',
  });
  const [address = '', ...options] = terms.trim().split('\n');
  expect(new URL(address).pathname).toBe('/oauth/token');
  const after = (name: string) => options.filter((_word, at) => options[at - 1] === name);
  const [user] = after('--user');
  const call = request(site.server).post('/oauth/token').type('form');
  if (user !== undefined) call.set('Authorization', `Basic ${Buffer.from(user).toString('base64')}`);
  const fields = after('--data-urlencode').map((field) => [
    field.slice(0, field.indexOf('=')),
    field.slice(field.indexOf('=') + 1),
  ]);
  const { body } = await call.send(Object.fromEntries(fields) as object);
  return (body as { access_token: string }).access_token;
}
const ROOT = '/oauth/applications';
const site = siteFor({
  security: { rateLimits: false },
  lifetimes: { authorizationCode: 120 },
  registration: { open: true },
});
const ada = fixture(() => logInPerson(site, 'ada'));

const ofAda = (more: Partial<NewClient> = {}) => site.client({ ownerId: 'ada', ...more });

async function trialOf({ clientId }: ClientWithSecret, person = ada) {
  const { text } = await person.agent.get(`${ROOT}/${clientId}`);
  const displayed = (pattern: RegExp) => unescapeHtml(pattern.exec(text)?.[1] ?? '');
  const address = displayed(/<a [^>]*id="application-try" href="([^"]*)"/);
  const snippet = displayed(/<pre id="snippet-try"[^>]*><code>([^]*?)<\/code>/);
  return {
    text,
    isThere: address !== '',
    url: new URL(address === '' ? 'none:' : address),
    snippet,
    verifier: /code_verifier=([\w-]{43})/.exec(snippet)?.[1] ?? '',
  };
}

/** Opens the link as the developer, allows it, and returns the code of the redirect. */
async function allow({ url }: { url: URL }): Promise<string> {
  const page = await ada.openAuthorize(url.search.slice(1));
  expect(page.text).toContain('id="consent-form"');
  const back = new URL((await ada.choose(page)).headers.location!);
  expect(`${back.origin}${back.pathname}`).toBe(REDIRECT_URI);
  expect(back.searchParams.get('state')).toBe(url.searchParams.get('state'));
  return back.searchParams.get('code')!;
}

describe('a developer tries their application', () => {
  it.each([
    ['a client with a secret', {}],
    ['a public client', { type: 'public' }],
    ['a trusted client', { trusted: true }],
  ] as const)('the trial of %s leads by the consent page to a working token', async (_kind, more) => {
    const client = await ofAda(more);
    const trial = await trialOf(client);
    expect(trial.url.origin + trial.url.pathname).toBe(`${site.url}/oauth/authorize`);
    expect(Object.fromEntries(trial.url.searchParams)).toMatchObject({
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
      scope: client.scopes.join(' '),
      code_challenge_method: 'S256',
    });
    expect(trial.text).toContain('Within 2 minutes');
    // the copied text contains no secret
    expect(trial.snippet).not.toContain('eas_cs_');
    const code = await allow(trial);
    const token = await runAsCurl(trial.snippet.replace('paste-the-code', code), client.clientSecret);
    expect((await callApi(site, token)).status).toBe(200);
    // the page of connected apps lists it like any other
    expect((await ada.agent.get('/oauth/authorizations')).text).toContain(client.clientId);
    // a second trial shows the consent page again
    await allow(await trialOf(client));
  });

  it('RFC 9700 §4.7 the running application cannot redeem the code of a trial or use it up', async () => {
    const client = await ofAda();
    const trial = await trialOf(client);
    const code = await allow(trial);
    expect((await redeem(site, client, code)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await redeem(site, client, code, { code_verifier: trial.verifier })).status).toBe(200);
  });

  it('each page has another trial request', async () => {
    const client = await ofAda();
    const [first, second] = [await trialOf(client), await trialOf(client)];
    expect(first.verifier).toHaveLength(43);
    expect(first.verifier).not.toBe(second.verifier);
    for (const name of ['state', 'code_challenge'])
      expect(first.url.searchParams.get(name)).not.toBe(second.url.searchParams.get(name));
  });

  it('no trial for clients without users or redirect URIs, and for self-registered ones', async () => {
    const forItself = await ofAda({ grantTypes: ['client_credentials'], redirectUris: [] });
    expect(await trialOf(forItself)).toMatchObject({ isThere: false });
    const { body } = await request(site.server)
      .post('/oauth/register')
      .send({ client_name: 'Itself', redirect_uris: [REDIRECT_URI] });
    const { client_id: clientId } = body as { client_id: string };
    await site.oauth.clients.update(clientId, { ownerId: 'ada' });
    const page = await trialOf({ clientId } as ClientWithSecret);
    expect(page.text).toContain(clientId);
    expect(page.isThere).toBe(false);
  });
});
