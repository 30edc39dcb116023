import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeJwt } from 'jose';
import type { Response } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { clientIdIn, registerApplication } from '../support/applications.js';
import { createTestKey } from '../support/assertions.js';
import { DEVICE_URI, openDocumentServer } from '../support/client-documents.js';
import { signIn } from '../support/logout.js';
import { openid } from '../support/openid.js';
import {
  codeQuery,
  createPerson,
  locationOf,
  logInPerson,
  type Person,
  type Query,
} from '../support/person.js';
import { register } from '../support/registration.js';
import { signRequest } from '../support/request-objects.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { createPkce } from '../support/tokens.js';

/** The number of requests of a client; each visitor comes once for each. */
const REQUESTS = 40;
/** The age and method of each user's login. */
const LOGINS: Readonly<Record<string, { readonly ago: number; readonly acr: string }>> = {
  ada: { ago: 5, acr: 'mfa' },
  bob: { ago: 1234, acr: 'pwd' },
  grace: { ago: 100_000, acr: 'pwd' },
  eve: { ago: 60, acr: 'mfa' },
};
/** A client without any consent. */
let stranger: ClientWithSecret;
/** A client with sign-ins of some users. */
let known: ClientWithSecret;
/** All kinds of visitors behind a silent request. */
let visitors: ReadonlyMap<string, Person>;
/** ID tokens of ada at the known client. */
let hint: string;
const refusals: { readonly clientId?: string; readonly reason?: string }[] = [];

const site = siteFor({
  security: { rateLimits: false },
  grantTypes: ['authorization_code', 'refresh_token', 'implicit'],
  signedResponses: true,
  formPost: true,
  openid: {
    ...openid,
    sessionManagement: true,
    responseTypes: ['id_token'],
  },
  people: {
    authentication(req) {
      const { ago, acr } = LOGINS[(req.user as unknown as { id: string }).id]!;
      return { at: new Date(Date.now() - ago * 1000), acr };
    },
  },
  policy: {
    onAuthorize({ userId, client }) {
      if (userId === 'eve') throw new Error('eve may use nothing');
      return userId === 'grace' && client.name === 'Stranger' ? { scopes: ['profile'] } : undefined;
    },
  },
});
beforeAll(async () => {
  site.oauth.events.on('authorization.refused', (event) => void refusals.push(event));
  stranger = await site.client({ name: 'Stranger', postLogoutRedirectUris: [] });
  known = await site.client({ name: 'Known' });
  visitors = new Map(
    await Promise.all(
      [
        'nobody',
        ...Object.keys(LOGINS),
        'ada, who has denied the client everything',
        'bob, who has disconnected the client',
        'ada, who uses another client',
        'ada, who has logged out',
      ].map(async (name) => [name, await visit(name)] as const),
    ),
  );
});

const requestOf = (client: ClientWithSecret, more: Query = {}): Query =>
  codeQuery(client, { state: 'xyz', ...more });

async function visit(name: string): Promise<Person> {
  const person = createPerson(site);
  const [who = ''] = name.split(',');
  if (who !== 'nobody') await person.logIn(who);
  if (name.includes('denied')) await person.authorize(requestOf(stranger), { decision: 'deny' });
  if (name.includes('disconnected')) {
    const once = requestOf(stranger, { scope: 'photos:read', prompt: 'consent' });
    await person.authorize(once);
    await site.oauth.grants.revoke({ userId: who, clientId: stranger.clientId });
  }
  if (name.includes('another')) hint = (await signIn(site, person, known)).id_token;
  if (name.includes('logged out')) await person.agent.post('/logout');
  return person;
}

/** Headers that are new each time, or only frame the body, such as the session of the host. */
const OF_THE_MOMENT = ['date', 'set-cookie', 'x-request-id', 'etag', 'content-length', 'transfer-encoding'];

/** The parts of an answer that a client or a linking page can see, without those that are new each time. */
function seen({ status, headers, text }: Response): unknown {
  const lasting = Object.entries(headers as Record<string, string>).filter(
    ([name]) => !OF_THE_MOMENT.includes(name),
  );
  return {
    status,
    headers: lasting.map(([name, value]) => `${name}: ${withoutMoment(value)}`),
    text: withoutMoment(text),
  };
}

/** Without the salt of a session state, and the time of a signed answer. */
function withoutMoment(text: string): string {
  // first the session states outside JWTs: the random letters of one in some thousands look like the beginning of a JWT
  const readable = withoutSalt(text).replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, (jwt) => {
    const { iat: _iat, exp: _exp, ...claims } = decodeJwt(jwt);
    return JSON.stringify(claims);
  });
  return withoutSalt(readable);
}

function withoutSalt(text: string): string {
  return text.replaceAll(/[\w-]{43}\.[\w-]{43}\.[\w-]{22}/g, 'a session state');
}

async function answersTo(query: Query): Promise<ReadonlyMap<string, unknown>> {
  const all = new Map<string, unknown>();
  for (const [name, person] of visitors)
    all.set(name, seen(await person.openAuthorize({ ...query, prompt: 'none' })));
  return all;
}

const subjects = fc.constantFrom('ada', 'bob', 'grace', 'eve', 'nobody else');
const claims = fc.record(
  {
    sub: fc.uniqueArray(subjects, { minLength: 1 }).map((values) => ({ values })),
    acr: fc.constantFrom('pwd', 'mfa', 'none').map((value) => ({ essential: true, values: [value] })),
    auth_time: fc.constant({ essential: true }),
  },
  { requiredKeys: [] },
);
/** Valid requests, with all parameters that could make the answer depend on the visitor. */
const silentRequests: fc.Arbitrary<Query> = fc
  .record(
    {
      scope: fc.constantFrom('openid', 'openid profile', 'photos:read', 'openid photos:write offline_access'),
      response_mode: fc.constantFrom('query', 'fragment', 'form_post', 'jwt'),
      max_age: fc.constantFrom('0', '10', '100', '1233', '1235', '99999', '200000'),
      acr_values: fc.constantFrom('pwd', 'mfa', 'mfa pwd'),
      login_hint: subjects,
      ui_locales: fc.constantFrom('en', 'de'),
      claims: fc
        .tuple(fc.constantFrom('id_token', 'userinfo'), claims)
        .map(([place, desired]) => JSON.stringify({ [place]: desired })),
      response_type: fc.constantFrom('code', 'id_token'),
    },
    { requiredKeys: ['scope', 'response_type'] },
  )
  .map((query) =>
    // OpenID Connect Core §3.2.2.1, and no token goes into a query
    query.response_type === 'code'
      ? query
      : { ...query, scope: 'openid', nonce: 'n', response_mode: 'fragment' },
  );

describe("a silent request (OpenID Connect Core §3.1.2.6, §17) without the visitor's consent", () => {
  test('a silent request without consent gets the same answer, byte for byte, for each visitor', async () => {
    await fc.assert(
      fc.asyncProperty(silentRequests, async (query) => {
        const answers = await answersTo(requestOf(stranger, query));
        const [[, nobody] = [], ...others] = answers;
        for (const [name, answer] of others) expect({ name, answer }).toEqual({ name, answer: nobody });
        expect(JSON.stringify(nobody)).toContain('login_required');
      }),
      { numRuns: REQUESTS },
    );
    // the page of the application shows its developer no other reason either
    const reasons = refusals.filter(({ clientId }) => clientId === stranger.clientId);
    expect(reasons.length).toBeGreaterThanOrEqual(REQUESTS * visitors.size);
    expect(new Set(reasons.map(({ reason }) => reason))).toEqual(new Set(['login_required']));
  });

  test('a silent request without consent has one error, whatever its parameters', async () => {
    const errors = new Set<string>();
    await fc.assert(
      fc.asyncProperty(silentRequests, fc.constantFrom(...visitors.keys()), async (query, name) => {
        const more = { ...query, response_type: 'code', response_mode: 'query', prompt: 'none' };
        const { searchParams } = locationOf(
          await visitors.get(name)!.openAuthorize(requestOf(stranger, more)),
        );
        searchParams.delete('session_state');
        errors.add(searchParams.toString());
      }),
      { numRuns: REQUESTS },
    );
    expect([...errors]).toEqual([
      expect.stringMatching(/^error=login_required&error_description=[^&]+&state=xyz&iss=/),
    ]);
  });

  test('a silent request without consent has its reason in the log of the site alone', async () => {
    const ask = async (name: string) => {
      await visitors.get(name)!.openAuthorize(requestOf(stranger, { prompt: 'none' }));
      return site.errors.at(-1)?.detail;
    };
    expect(await ask('nobody')).toBe('login: its page would have to be shown');
    expect(await ask('ada')).toBe('somebody is logged in who has allowed the client nothing');
  });

  test('a silent request without consent causes the same fetches for each visitor', async () => {
    await using documents = await openDocumentServer();
    await using open = await openSite({
      clientIdMetadataDocuments: { allowLoopback: true },
      registration: { open: true },
      signedRequests: { byReference: true },
    });
    const [ada, nobody] = [createPerson(open), createPerson(open)];
    await ada.logIn('ada');
    const { challenge } = createPkce();
    const answerTo = async (person: Person, query: Query) => {
      const answer = await person.openAuthorize({ response_type: 'code', prompt: 'none', ...query });
      expect(answer.text).toContain('<code>login_required</code>');
      return [answer.status, answer.headers.location];
    };
    const ofDocument = (clientId: string) => ({
      ...{ client_id: clientId, redirect_uri: DEVICE_URI },
      ...challenge,
    });
    const key = await createTestKey();
    // registration accepts no others; a failed connection would be another error
    const secure = `https://127.0.0.1:${documents.port}`;
    const registered = async () => {
      const byKeys = { token_endpoint_auth_method: 'private_key_jwt', redirect_uris: [REDIRECT_URI] };
      const addresses = { jwks_uri: `${secure}/keys`, request_uris: [`${secure}/request`] };
      return String((await register(open, { ...byKeys, ...addresses })).body.client_id);
    };
    for (const [index, person] of [nobody, ada].entries()) {
      expect(await answerTo(person, ofDocument(documents.publish(`/${index}.json`)))).toEqual([
        400,
        undefined,
      ]);
      expect(await answerTo(person, ofDocument(documents.url(`/none-${index}`)))).toEqual([400, undefined]);
      const signing = await registered();
      const signed = await signRequest(open, signing, key);
      expect(await answerTo(person, { client_id: signing, request: signed })).toEqual([400, undefined]);
      const referring = { client_id: await registered(), request_uri: `${secure}/request` };
      expect(await answerTo(person, referring)).toEqual([400, undefined]);
    }
    expect(documents.requests).toEqual([]);
    // it is fetched for a logged-in user, and cached for everybody
    const loud = ofDocument(documents.publish('/loud.json'));
    await ada.openAuthorize({ response_type: 'code', ...loud });
    const answers = [ada, nobody].map((person) =>
      person.openAuthorize({ response_type: 'code', prompt: 'none', ...loud }),
    );
    const [first, second] = (await Promise.all(answers)).map((answer) => seen(answer));
    expect(first).toEqual(second);
  });

  test('a silent request of an unapproved client has one answer, even for its owner', async () => {
    await using waiting = await openSite({
      applications: {
        approval: true,
        isAdministrator: ({ user }) => (user as unknown as { id: string }).id === 'grace',
      },
      security: { rateLimits: false },
    });
    const [owner, other] = [await logInPerson(waiting, 'eve'), await logInPerson(waiting, 'ada')];
    const clientId = clientIdIn(await registerApplication(owner.agent));
    expect(clientId).not.toBe('');
    for (const more of [{}, { scope: 'everything' }]) {
      const query = codeQuery(clientId, { prompt: 'none', ...more });
      for (const person of [owner, other, createPerson(waiting)]) {
        const answer = await person.openAuthorize(query);
        expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
      }
    }
  });
});

describe('a silent request with a precise answer', () => {
  const errorOf = async (person: Person, query: Query) =>
    locationOf(await person.openAuthorize({ ...query, prompt: 'none' })).searchParams.get('error') ?? 'none';
  const user = () => visitors.get('ada, who uses another client')!;

  test('a silent request of a client with a consent has a precise error', async () => {
    expect(await errorOf(user(), requestOf(known, { scope: 'openid photos:read' }))).toBe('none');
    expect(await errorOf(user(), requestOf(known, { scope: 'openid profile' }))).toBe('consent_required');
    const acr = JSON.stringify({ id_token: { acr: { essential: true, values: ['pwd'] } } });
    expect(await errorOf(user(), requestOf(known, { scope: 'openid photos:read', claims: acr }))).toBe(
      'unmet_authentication_requirements',
    );
    expect(await errorOf(user(), requestOf(known, { scope: 'openid', id_token_hint: hint }))).toBe('none');
    expect(
      await errorOf(visitors.get('bob')!, requestOf(known, { scope: 'openid', id_token_hint: hint })),
    ).toBe('login_required');
  });

  test('a silent request of a trusted client has a precise error', async () => {
    const trusted = await site.client({ trusted: true });
    expect(await errorOf(visitors.get('bob')!, requestOf(trusted, { scope: 'openid' }))).toBe('none');
    expect(await errorOf(visitors.get('bob')!, requestOf(trusted, { scope: 'openid offline_access' }))).toBe(
      'consent_required',
    );
  });

  test('a silent request with an ID token of its client has a precise error', async () => {
    const person = await logInPerson(site, 'ada');
    const once = await site.client();
    const { id_token: own } = await signIn(site, person, once);
    await site.oauth.grants.revoke({ userId: 'ada', clientId: once.clientId });
    const query = requestOf(once, { scope: 'openid' });
    expect(await errorOf(person, { ...query, id_token_hint: own })).toBe('consent_required');
    expect(await errorOf(visitors.get('bob')!, { ...query, id_token_hint: own })).toBe('login_required');
    const sub = JSON.stringify({ id_token: { sub: { value: 'ada' } } });
    expect(await errorOf(person, { ...query, claims: sub })).toBe('login_required');
  });
});
