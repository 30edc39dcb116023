import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { letPass } from '../support/clock.js';
import { commandsDuring } from '../support/commands.js';
import { allowStored, DEVICE_GRANT_TYPES, deviceClient, poll, startDevice } from '../support/device.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import {
  callApi,
  clientRequest,
  createPkce,
  introspectAs,
  obtainCode,
  type ObtainedTokens,
  obtainTokens,
  postToken,
  redeem,
  refreshTokens,
  whoseGrantIs,
} from '../support/tokens.js';

/*
 * The life of a grant whose responses get lost: a row for each life, step by step, with the result of each
 * step. test/properties/grant-life.test.ts has lives of any order, without `reuseGrace`.
 */

type Name = 'grace' | 'untilUsed';
/** Two processes of one site, a third one without `reuseGrace`, and their clients. */
interface Server {
  readonly site: Site;
  readonly there: Site;
  readonly strict: Site;
  readonly client: ClientWithSecret;
  readonly phone: ClientWithSecret;
  readonly brief: ClientWithSecret;
  readonly stranger: ClientWithSecret;
}
const GRACE = 120;
const SCOPE = 'photos:read profile';
const servers = {} as Record<Name, Server>;

async function open(reuseGrace: number | 'untilUsed'): Promise<Server> {
  const options = {
    grantTypes: DEVICE_GRANT_TYPES,
    security: { rateLimits: false },
    advanced: { clientCacheTtl: 0 },
  } as const;
  const site = await openSite({ ...options, tokens: { reuseGrace } });
  const shared = { ...options, database: site.database, issuer: site.url };
  return {
    site,
    there: await openSite({ ...shared, tokens: { reuseGrace } }),
    strict: await openSite(shared),
    client: await site.client({ introspection: true }),
    phone: await site.client({ type: 'public' }),
    brief: await site.client({ accessTokenTtl: 60 }),
    stranger: await site.client(),
  };
}
beforeAll(async () => {
  servers.grace = await open(GRACE);
  servers.untilUsed = await open('untilUsed');
});
afterAll(async () => {
  for (const { strict, there, site } of Object.values(servers))
    for (const each of [strict, there, site]) await each.close();
});

const STEP =
  /^(?:(\d+) × )?(redeem|refresh|poll|call|introspect|revoke|end|later)(?: (\d+))?(?: (there|strict|stranger))?(?: scope (.+?))?(?: → (\S+)(?: for (\d+))?)?$/;

/**
 * What a test does: the steps of a life, which begins with tokens 0, or with a code or a device.
 *
 * `refresh 0 there → 1` uses the refresh token of tokens 0 at the other process, and gets tokens 1: new ones if there
 * are none of that number yet, otherwise the same; `→ 1'` are the same with a new access token. `strict` is the process
 * without `reuseGrace`, `stranger` another client. `for 100`: they live for 100 seconds, or a little less.
 */
function life(
  name: Name,
  steps: string,
  {
    begins = 'tokens',
    by = 'client',
  }: { begins?: 'tokens' | 'code' | 'device'; by?: 'client' | 'phone' | 'brief' } = {},
): () => Promise<void> {
  return async () => {
    const server = servers[name];
    const { site, there, strict } = server;
    const frame = begins === 'device' ? await deviceClient(site) : undefined;
    const client = frame ?? server[by];
    const { code_verifier, challenge } = createPkce();
    const code =
      begins === 'device' ? '' : await obtainCode(site, client, { query: { scope: SCOPE, ...challenge } });
    const device = frame && (await startDevice(site, frame));
    if (device) await allowStored(site, device);
    const known: ObtainedTokens[] = [];
    if (begins === 'tokens')
      known.push((await redeem(site, client, code, { code_verifier })).body as ObtainedTokens);

    for (const line of steps.split('; ')) {
      const step = STEP.exec(line) ?? [];
      const [, times = '1', action, which = '', where, scope, expected] = step;
      const tokens = known[Number(which)]!;
      const at = (index: number) =>
        where === 'there' || (Number(times) > 1 && index % 2 === 1)
          ? there
          : where === 'strict'
            ? strict
            : site;
      const as = where === 'stranger' ? server.stranger : client;
      const ask = (index: number) => {
        if (action === 'redeem') return redeem(at(index), as, code, { code_verifier });
        if (action === 'poll') return poll(at(index), as, device!);
        return refreshTokens(at(index), as, tokens.refresh_token, { scope });
      };
      switch (action) {
        case 'later':
          letPass(Number(which));
          break;
        case 'end':
          await site.oauth.grants.revoke({ clientId: client.clientId });
          break;
        case 'revoke':
          await clientRequest(there, client, '/oauth/revoke', { token: tokens.refresh_token }).expect(200);
          break;
        case 'call': {
          const { status } = await callApi(at(0), tokens.access_token);
          expect([line, status]).toEqual([line, expected === 'alive' ? 200 : 401]);
          break;
        }
        case 'introspect': {
          const { active } = await introspectAs(at(0), server.client, tokens.access_token);
          expect([line, active]).toEqual([line, expected === 'alive']);
          break;
        }
        case 'redeem':
        case 'refresh':
        case 'poll': {
          const answers = await Promise.all(Array.from({ length: Number(times) }, (_, index) => ask(index)));
          for (const { status, body } of answers) {
            const outcome = status === 200 ? 'tokens' : `${status} ${body.error as string}`;
            expect([line, outcome]).toEqual([line, expected === 'refused' ? '400 invalid_grant' : 'tokens']);
            if (status === 200) compare(known, body as ObtainedTokens, step, body === answers[0]!.body);
          }
          break;
        }
        default:
          throw new Error(`no step: ${line}`);
      }
    }
  };
}

/** Compares tokens with those of the number in a step; a new number takes the tokens. */
function compare(
  known: ObtainedTokens[],
  tokens: ObtainedTokens,
  step: readonly string[],
  isFirst: boolean,
): void {
  const [line, , , , , , expected = '', seconds] = step;
  const index = parseInt(expected);
  const before = known[index];
  const isRenewed = expected.endsWith("'") && isFirst;
  if (isRenewed || before === undefined) known[index] = tokens;
  expect([line, { ...tokens, expires_in: 0 }]).toEqual([line, { ...known[index], expires_in: 0 }]);
  if (isRenewed) {
    expect([line, tokens.refresh_token]).toEqual([line, before?.refresh_token]);
    expect([line, tokens.access_token]).not.toEqual([line, before?.access_token]);
  }
  if (seconds === undefined) return;
  expect(tokens.expires_in).toBeLessThanOrEqual(Number(seconds));
  expect(tokens.expires_in).toBeGreaterThanOrEqual(Math.max(0, Number(seconds) - 100));
}

test.each(
  Object.entries({
    'gets a lost response again with the same tokens, which work':
      'refresh 0 → 1; refresh 0 → 1; refresh 0 scope profile photos:read → 1; call 1 → alive; refresh 1 → 2',
    'gets a lost response again with the expires_in that is left':
      'refresh 0 → 1; later 100; refresh 0 → 1 for 3500',
    'gets a lost response again until the grace and clockTolerance are over, at a process whose clock is ahead too':
      'refresh 0 → 1; later 145; refresh 0 there → 1',
    'is a reuse after the grace, and ends the grant':
      'refresh 0 → 1; later 151; refresh 0 → refused; call 1 → dead; refresh 1 → refused',
    'is a reuse within the grace as well once the new refresh token was used, because the response had arrived':
      'refresh 0 → 1; refresh 1 → 2; refresh 0 → refused; call 2 → dead',
    'is repeated again after a refresh that was not repeated':
      'refresh 0 → 1; refresh 0 → 1; refresh 1 → 2; refresh 2 → 3; refresh 2 → 3',
    'is useless to another client, which ends no grant by it':
      'refresh 0 → 1; refresh 0 stranger → refused; refresh 0 → 1',
    'is refused by a process without the option, which stores no responses':
      'refresh 0 → 1; refresh 1 strict → 2; refresh 1 → refused; call 2 → dead',
    'is a reuse at a process whose option was removed since':
      'refresh 0 → 1; refresh 0 strict → refused; call 1 → dead',
    'gets the same tokens for each of twelve requests at once, at two processes':
      '12 × refresh 0 → 1; call 1 → alive; refresh 1 there → 2',
    'is refused once the site has revoked its grant': 'refresh 0 → 1; end; refresh 0 → refused',
    'is refused once the client has revoked its grant, even after a repetition':
      'refresh 0 → 1; refresh 0 → 1; revoke 1; refresh 0 → refused',
  }),
)('a refresh token %s', (_what, steps) => life('grace', steps)());
test(
  'a refresh token gets no new access token within the grace, which does not begin anew',
  life('grace', 'refresh 0 → 1; later 61; refresh 0 → 1 for 0; later 90; refresh 0 → refused', {
    by: 'brief',
  }),
);
test.each([
  ['fewer scopes', SCOPE, 'profile'],
  ['other scopes', 'photos:read', 'profile'],
  ['more scopes than were granted', 'profile', 'photos:write'],
  ['a malformed scope', 'profile', '"'],
])('a refresh token that comes again with %s is a reuse and no repetition', (_which, first, second) =>
  life('grace', `refresh 0 scope ${first} → 1; refresh 0 scope ${second} → refused; call 1 → dead`)(),
);
test(
  'a refresh token is a reuse once its successor was repeated: a thief in step is noticed',
  life(
    'grace',
    'refresh 0 → 1; refresh 0 → 1; refresh 1 → 2; refresh 1 → refused; call 2 → dead; refresh 2 → refused',
  ),
);

test('a refresh at the moment of a revocation gives no tokens that outlive it', async () => {
  const { site, there, client } = servers.grace;
  for (let round = 0; round < 4; round += 1) {
    const { refresh_token: old } = await obtainTokens(site, client);
    const refresh = (at: Site) => refreshTokens(at, client, old);
    const [, ...answers] = await Promise.all([
      site.oauth.grants.revoke({ clientId: client.clientId }),
      ...[site, there, site, there].map(refresh),
    ]);
    for (const { body } of answers)
      if (body.access_token !== undefined)
        expect((await callApi(site, body.access_token as string)).status).toBe(401);
    expect((await refresh(site)).body.error).toBe('invalid_grant');
  }
});

test('a refresh and its repetition take three commands each, and each further repetition two', async () => {
  const { site, client } = servers.grace;
  const { refresh_token } = await obtainTokens(site, client);
  const commands = () =>
    commandsDuring(site.database, () => refreshTokens(site, client, refresh_token).then());
  const first = ['find oauth_clients', 'find oauth_grants', 'update oauth_grants'];
  expect(await commands()).toEqual(first);
  // the repetition is recorded so that no second one is
  expect(await commands()).toEqual(first);
  expect(await commands()).toEqual(first.slice(0, 2));
});

const code = { begins: 'code' } as const;
test(
  'a code gets the same tokens again for the same request, at whichever process',
  life('grace', 'redeem → 0; redeem there → 0; redeem → 0; call 0 → alive', code),
);
test.each(
  Object.entries({
    'gets the same tokens for each of four requests at once': '4 × redeem → 0',
    'is a replay once the refresh token has been used':
      'redeem → 0; refresh 0 → 1; redeem → refused; call 1 → dead',
    'is a replay at a process without the option': 'redeem → 0; redeem strict → refused; call 0 → dead',
    'gets its tokens again, and then the refresh token is used once':
      'redeem → 0; redeem → 0; refresh 0 → 1; refresh 0 → refused',
  }),
)('a code %s', (_what, steps) => life('grace', steps, code)());
test(
  'a code is a replay later than the grace and clockTolerance, and ends the grant',
  life('grace', 'redeem → 0; later 151; redeem → refused; call 0 → dead', code),
);

test('a code that comes again from a public client without PKCE is a replay', async () => {
  const { site } = servers.grace;
  await using loose = await openSite({
    tokens: { reuseGrace: GRACE },
    security: { rateLimits: false, pkce: 'optional' },
    database: site.database,
    issuer: site.url,
  });
  const { clientId } = await loose.client({ type: 'public' });
  const code = await obtainCode(loose, { clientId } as ClientWithSecret);
  const ask = () =>
    postToken(loose, {
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
    });
  const { body } = await ask().expect(200);
  expect((await ask()).body.error).toBe('invalid_grant');
  expect((await callApi(loose, body.access_token as string)).status).toBe(401);
});

test('a code that comes again without its verifier or client gets no tokens, and ends no grant', async () => {
  const { site, phone, stranger } = servers.grace;
  const { code_verifier, challenge } = createPkce();
  const code = await obtainCode(site, phone, { query: challenge });
  const first = await redeem(site, phone, code, { code_verifier }).expect(200);
  for (const fields of [
    { code_verifier: createPkce().code_verifier },
    { redirect_uri: 'https://evil.example/' },
  ])
    await redeem(site, phone, code, { code_verifier, ...fields }).expect(400);
  await redeem(site, stranger, code, { code_verifier }).expect(400);
  const again = await redeem(site, phone, code, { code_verifier }).expect(200);
  expect(again.body.access_token).toBe(first.body.access_token);
});

test('a database with a stored response contains no token, and no key to open the response', async () => {
  const { site, client } = servers.grace;
  const code = await obtainCode(site, client);
  const { body: first } = await redeem(site, client, code);
  const stored = () => site.database.collection('oauth_grants').findOne(whoseGrantIs(code));
  const texts = [JSON.stringify(await stored())];
  const { body: second } = await refreshTokens(site, client, first.refresh_token);
  texts.push(JSON.stringify(await stored()));
  for (const secret of [
    code,
    first.access_token,
    first.refresh_token,
    second.access_token,
    second.refresh_token,
  ])
    for (const text of texts) expect(text).not.toContain(String(secret).slice(29));
  const [header] = (await stored())!.resend.sealed.split('.');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'dir', enc: 'A256GCM' });
});

const phone = { by: 'phone' } as const;
const row = (steps: string) => life('untilUsed', steps, phone);

test.each(
  Object.entries({
    'gets the same tokens again after half an hour, at another process':
      'refresh 0 → 1; later 1800; refresh 0 there → 1 for 1800; call 1 → alive',
    'gets a new access token with the same successor once the access token of the response has expired':
      "refresh 0 → 1; later 86400; refresh 0 → 1' for 3600; refresh 0 → 1; later 172800; refresh 0 → 1' for 3600; refresh 1 → 2; call 2 → alive",
    'gets its tokens again if the previous response was lost as well':
      'refresh 0 → 1; refresh 0 → 1; refresh 1 → 2; refresh 1 → 2; refresh 2 → 3; refresh 2 → 3',
    'is useless to another client, which ends no grant by it':
      'refresh 0 → 1; refresh 0 stranger → refused; call 1 → alive',
    'is a reuse after two rotations even if no newer token was used at an API':
      'refresh 0 → 1; refresh 1 → 2; refresh 0 → refused; refresh 1 → refused',
    'gets the same successor for each of twenty requests at once, without the end of the grant':
      '20 × refresh 0 → 1; refresh 1 → 2',
    'gets one new access token for ten renewals at once':
      "refresh 0 → 1; later 86400; 10 × refresh 0 → 1'; call 1 → alive; refresh 0 → refused",
  }),
)('with untilUsed, a refresh token %s', (_what, steps) => row(steps)());
test('with untilUsed, a refresh token whose successor has expired is refused without a reuse', async () => {
  const { events } = servers.untilUsed.site.oauth;
  const reasons: (string | undefined)[] = [];
  const hear = ({ reason }: { readonly reason?: string | undefined }) => void reasons.push(reason);
  events.on('token.refused', hear);
  await row('refresh 0 → 1; later 2592001; refresh 0 → refused')();
  events.off('token.refused', hear);
  expect(reasons).toEqual(['refresh_token_expired']);
});
test.each([
  ['the successor was used', 'refresh 1 → 2'],
  ['a guard has let the new access token in', 'call 1 → alive'],
  ['another process has let the new access token in', 'call 1 there → alive'],
  ['a resource server has introspected the new access token', 'introspect 1 there → alive'],
])(
  'with untilUsed, a refresh token is a reuse, which ends the grant, once %s (RFC 9700 §4.14.2)',
  (_when, use) => row(`refresh 0 → 1; ${use}; refresh 0 → refused; call 1 → dead; refresh 1 → refused`)(),
);
test(
  'with untilUsed, a refresh token of a confidential client gets its tokens again',
  life('untilUsed', 'refresh 0 → 1; later 1800; refresh 0 → 1'),
);
test(
  'with untilUsed, a code is answered again for ten minutes at most',
  life('untilUsed', 'redeem → 0; later 599; redeem → 0; later 2; redeem → refused', { begins: 'code' }),
);
test(
  'with untilUsed, a code is answered again until its tokens are used',
  life('untilUsed', 'redeem → 0; call 0 → alive; redeem → refused; call 0 → dead', { begins: 'code' }),
);
test(
  'with untilUsed, a device gets lost tokens with its next poll, until it uses them (RFC 8628 §3.5)',
  life('untilUsed', 'poll → 0; poll there → 0; call 0 → alive; poll → refused; call 0 → dead', {
    begins: 'device',
  }),
);

test('with untilUsed, the first use of an access token costs a write, and later uses none', async () => {
  const { site, client } = servers.untilUsed;
  const { refresh_token } = await obtainTokens(site, client);
  const { body } = await refreshTokens(site, client, refresh_token);
  const commands = () => commandsDuring(site.database, () => callApi(site, body.access_token as string));
  expect((await commands()).filter((command) => command.startsWith('update'))).toHaveLength(1);
  expect(await commands()).toEqual(['find oauth_grants']);
});
