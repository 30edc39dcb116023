import { inspect } from 'node:util';

import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Response } from 'supertest';

import { type ExtensionGrantType, OAuthError } from '../../lib/index.js';
import { registerApplication } from '../support/applications.js';
import { openDatabase } from '../support/database.js';
import { testFailing, whileFailing } from '../support/fail-point.js';
import { startMongo } from '../support/mongodb.js';
import { codeQuery, fragmentOf, logInPerson } from '../support/person.js';
import { sendRaw } from '../support/raw-http.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import {
  basic,
  callApi,
  createPkce,
  type Fields,
  obtainCode,
  postToken,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../support/tokens.js';

/** A host may write anything. */
const ODD_TEXT = 'the "card" \\ is used up:\r\n\u0000 é 😀 <b>';
const giftCard: ExtensionGrantType = {
  grantType: 'gift-card',
  parameters: [],
  handle() {
    throw new OAuthError('invalid_grant', ODD_TEXT);
  },
};
const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  'implicit',
  giftCard,
] as const;
const CHOSEN_SECRET = 'chosen by a person %+&=';
/** All secrets, gathered while the flows run. */
const secrets = new Set<string>();
/** All errors and events for the host, with their members. */
const reported: string[] = [];
const refusals: Response[] = [];

const site = siteFor({
  grantTypes: GRANT_TYPES,
  security: { rateLimits: false },
  onError: (error) =>
    reported.push(inspect(error, { depth: Infinity, showHidden: true, maxStringLength: Infinity })),
});
const client = fixture(() => site.client());
const imported = fixture(() => site.client({ clientSecret: CHOSEN_SECRET }));
beforeAll(async () => {
  keep(client.clientSecret, CHOSEN_SECRET, 'password of ada');
  await runFlows();
  await runFailures();
});

function keep(...values: readonly (string | undefined)[]): void {
  for (const value of values) {
    if (value === undefined) continue;
    secrets.add(value);
    // the grant's id is in front of a token and is no secret
    if (value.startsWith('eas_')) secrets.add(value.slice(-43));
  }
}

function keepTokens(response: Response): Response {
  keep(response.body.access_token, response.body.refresh_token);
  return response;
}

async function newCode(of = client): Promise<{ code: string; verifier: string }> {
  const { code_verifier: verifier, challenge } = createPkce();
  const code = await obtainCode(site, of, { query: challenge });
  keep(code, verifier);
  return { code, verifier };
}

const refresh = (refreshToken: string, of = client) => refreshTokens(site, of, refreshToken);
const password = (more: Fields = {}) =>
  tokenRequest(site, client, {
    grant_type: 'password',
    username: 'ada',
    password: 'password of ada',
    ...more,
  });

async function runFlows(): Promise<void> {
  const { code, verifier } = await newCode();
  const first = keepTokens(await redeem(site, client, code, { code_verifier: verifier }).expect(200));
  keepTokens(await refresh(first.body.refresh_token).expect(200));
  keepTokens(await tokenRequest(site, client, { grant_type: 'client_credentials' }).expect(200));
  keepTokens(await tokenRequest(site, imported, { grant_type: 'client_credentials' }).expect(200));
  keepTokens(
    await postToken(site, {
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    }).expect(200),
  );
  keepTokens(await password().expect(200));
  const ada = await logInPerson(site);
  const location = await ada.authorize({
    response_type: 'token',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
  });
  keep(fragmentOf(location).get('access_token') ?? '');
  const registered = await registerApplication(ada.agent);
  expect(registered.status).toBe(201);
  keep(/eas_cs_[\w-]{43}/.exec(registered.text)?.[0]);
  expect(secrets.size).toBeGreaterThan(20);
}

/** Each has a right secret in it, and another fault. */
async function runFailures(): Promise<void> {
  const { code, verifier } = await newCode();
  const unused = await newCode();
  const tokens = keepTokens(await redeem(site, client, code, { code_verifier: verifier })).body;
  const secret = client.clientSecret ?? '';
  const body = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const raw = (type: string, text: string) => ({ type, text });
  const attempts: readonly (() => PromiseLike<Response>)[] = [
    () => redeem(site, client, unused.code, { code_verifier: createPkce().code_verifier }),
    () => redeem(site, client, unused.code),
    () =>
      redeem(site, client, unused.code, {
        code_verifier: unused.verifier,
        redirect_uri: `https://evil.example/${unused.code}`,
      }),
    () => redeem(site, imported, unused.code, { code_verifier: unused.verifier }),
    () => redeem(site, client, `${unused.code}x`, { code_verifier: unused.verifier }),
    () => redeem(site, client, code, { code_verifier: verifier }),
    () => refresh(tokens.refresh_token),
    () => refresh(tokens.access_token),
    () => refresh(tokens.refresh_token, imported),
    () =>
      tokenRequest(site, { ...client, clientSecret: CHOSEN_SECRET }, { grant_type: 'client_credentials' }),
    () => tokenRequest(site, { ...imported, clientSecret: secret }, { grant_type: 'client_credentials' }),
    () => postToken(site, { grant_type: 'client_credentials', client_id: 'nobody', client_secret: secret }),
    () =>
      postToken(site, {
        grant_type: 'client_credentials',
        client_id: client.clientId,
        client_secret: secret,
      }).set('Authorization', basic(client.clientId, CHOSEN_SECRET)),
    () =>
      postToken(site, {
        grant_type: 'client_credentials',
        client_id: client.clientId,
        client_secret: [secret, secret],
      }),
    () => postToken(site, { grant_type: 'client_credentials' }).set('Authorization', `Basic ${secret}`),
    () => password({ username: 'grace' }),
    () => password({ scope: 'everything' }),
    () => password({ password: ['password of ada', 'password of ada'] }),
    () => postToken(site, { grant_type: 'password' }).query({ username: 'ada', password: 'password of ada' }),
    ...[
      raw('application/json', JSON.stringify({ client_secret: secret, code: unused.code })),
      raw(
        'application/x-www-form-urlencoded',
        `${body({ client_secret: secret, password: 'password of ada' })}&a=%zz`,
      ),
      raw('application/x-www-form-urlencoded; charset=x-unknown', body({ client_secret: secret })),
      raw('application/x-www-form-urlencoded', `${body({ client_secret: secret })}&a=${'x'.repeat(200_000)}`),
    ].map(
      ({ type, text }) =>
        () =>
          postToken(site, {}).set('Content-Type', type).send(text),
    ),
    () => callApi(site, `${tokens.access_token} ${tokens.refresh_token}`),
    () => callApi(site, tokens.refresh_token),
    () => callApi(site, tokens.access_token),
    () => callApi(site, secret),
  ];
  for (const attempt of attempts) refusals.push(await attempt());
}

function findSecret(text: string): string | undefined {
  return [...secrets].find((secret) =>
    [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')].some((form) =>
      text.includes(form),
    ),
  );
}

async function databaseText(): Promise<string> {
  const { connection } = site.database;
  const names = (await connection.listCollections()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['oauth_clients', 'oauth_grants', 'oauth_consents']));
  return JSON.stringify(await Promise.all(names.map((name) => connection.collection(name).find().toArray())));
}

describe('after codes, refreshes, passwords, client credentials and their failures', () => {
  test('each failing request was refused', () => {
    expect(refusals.map(({ status }) => status).filter((status) => status < 400 || status >= 500)).toEqual(
      [],
    );
  });

  test('RFC 6749 §10.5, §10.10 no secret is in the database: a copy of it gives no access', async () => {
    const text = await databaseText();
    expect(text).toContain(client.clientId);
    expect(findSecret(text)).toBeUndefined();
  });

  test('no secret is in an error for the host: text, detail, cause or stack', () => {
    expect(reported.length).toBeGreaterThanOrEqual(refusals.length);
    for (const text of reported) expect([text, findSecret(text)]).toEqual([text, undefined]);
  });

  test('no secret comes back in a refusal, neither in its body nor in its headers', () => {
    for (const { text, headers } of refusals)
      expect([text, findSecret(`${text}${JSON.stringify(headers)}`)]).toEqual([text, undefined]);
  });

  test('all failed codes, and all failed refresh tokens, have the same description', () => {
    const descriptions = new Set(
      refusals
        .filter(({ body }) => body.error === 'invalid_grant')
        .map(({ body }) => body.error_description as string),
    );
    // codes, refresh tokens, passwords
    expect(descriptions.size).toBe(3);
    expect(
      new Set(
        refusals
          .filter(({ body }) => body.error === 'invalid_token')
          .map(({ body }) => body.error_description as string),
      ).size,
    ).toBe(1);
  });

  test('RFC 6749 §5.2, RFC 6750 §3 error_description has only allowed characters', () => {
    for (const { body, headers } of refusals) {
      expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      if (headers['www-authenticate']?.startsWith('Bearer'))
        expect(headers['www-authenticate']).toMatch(
          /^Bearer ([a-z_]+="[\x20-\x21\x23-\x5b\x5d-\x7e]*"(, |$))+$/,
        );
    }
  });

  test.each(['"', '\\', '\n', '\u0007', 'é', '😀', '"><script>'])(
    'RFC 6749 §5.2 error_description has only allowed characters for a request with %j',
    async (text) => {
      const scope = `x${text}y`;
      const response = await tokenRequest(site, client, { grant_type: 'client_credentials', scope });
      expect(response.body.error).toBe('invalid_scope');
      expect(response.body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      const query = new URLSearchParams(codeQuery(client, { scope, prompt: 'none' }));
      const redirected = await sendRaw(site.server, { target: `/oauth/authorize?${query.toString()}` });
      expect(new URL(redirected.headers.location?.[0] ?? '').searchParams.get('error_description')).toMatch(
        /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/,
      );
    },
  );

  test("RFC 6749 §5.2 error_description of a host's grant type has only allowed characters", async () => {
    const response = await tokenRequest(site, client, { grant_type: 'gift-card' });
    expect(response.body).toEqual({
      error: 'invalid_grant',
      error_description: expect.stringMatching(/^the 'card' [\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
    });
  });
});

describe('the log without onError', () => {
  testFailing('the log of a database failure has its cause, and no secret', async () => {
    const mongo = await startMongo({ testCommands: true, log: () => undefined });
    const database = await openDatabase(undefined, mongo.uri);
    const control = await openDatabase(undefined, mongo.uri);
    const silent = await openSite({
      database,
      grantTypes: GRANT_TYPES,
      security: { rateLimits: false },
      onError: undefined,
    });
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    try {
      const itsClient = await silent.client();
      keep(itsClient.clientSecret);
      const failed = await whileFailing(
        control,
        { command: 'insert', only: database, failure: { errorCode: 8 } },
        () =>
          tokenRequest(silent, itsClient, {
            grant_type: 'password',
            username: 'ada',
            password: 'password of ada',
          }),
      );
      expect(failed.status).toBe(503);
      const refused = await tokenRequest(
        silent,
        { ...itsClient, clientSecret: 'wrong' },
        { grant_type: 'client_credentials' },
      );
      expect(refused.status).toBe(401);
      // errors of clients are not logged
      expect(written).toHaveBeenCalledTimes(1);
      const text = inspect(written.mock.calls, { depth: Infinity });
      expect(text).toContain(failed.headers['x-request-id']);
      expect(findSecret(text)).toBeUndefined();
    } finally {
      written.mockRestore();
      await silent.close();
      await control.close();
      await database.close();
      await mongo.stop();
    }
  });
});
