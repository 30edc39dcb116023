import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Request } from 'express';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { DETAIL_TYPES, detailsParameter, PAYMENT } from '../support/authorization-details.js';
import { letPass } from '../support/clock.js';
import { codeQuery, logInPerson, type Query } from '../support/person.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { ACCESS_TOKEN, exchange, exchanged, exchanger, handingOn } from '../support/token-exchange.js';
import { basic, callApi, introspectAs, redeem, tokenRequest } from '../support/tokens.js';

const BLOCKED_HOST = 'app.example';
const OPTIONS = {
  tokenExchange: true,
  openid: { claims: () => ({}) },
  authorizationDetails: { payment: { ...DETAIL_TYPES.payment, singleUse: true } },
} satisfies SiteOptions;

let site: Site;
let api: ClientWithSecret;
let print: ClientWithSecret;

beforeAll(async () => {
  site = await openWithApi();
  print = await exchanger(site);
  api = await site.client({ introspection: true });
});
afterAll(() => site.close());

async function openWithApi(more: SiteOptions = {}): Promise<Site> {
  const opened = await openSite({ ...OPTIONS, ...more });
  const details = () => [PAYMENT];
  opened.app.post('/pay', opened.oauth.guard({ details }), (_req, res) => void res.json({}));
  opened.app.post('/verify', async (req: Request, res) => {
    await opened.oauth.verify(req.get('x-token')).then(
      () => res.json({}),
      () => res.status(401).end(),
    );
  });
  return opened;
}

/** A client on a host that can be blocked, with a token of each kind. */
interface BlockableApp {
  readonly app: ClientWithSecret;
  /** Of a user; of the client itself; of another client, in exchange for that of the user. */
  readonly tokens: Readonly<Record<'user' | 'client' | 'exchanged', string>>;
  /** A token of a user at another client, with which the client may act. */
  readonly subject: string;
}

let count = 0;
async function obtain(): Promise<BlockableApp> {
  count += 1;
  const app = await site.client({
    clientId: `https://${BLOCKED_HOST}/${count}`,
    mayAct: [print.clientId],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  });
  const photos = await handingOn(site, [print, app]);
  const ada = await logInPerson(site);
  const consent = async (client: ClientWithSecret, query: Query = {}) => {
    const location = await ada.authorize({
      ...codeQuery(client, query),
    });
    const code = location.searchParams.get('code') ?? '';
    const { body } = await redeem(site, client, code).expect(200);
    return (body as { access_token: string }).access_token;
  };
  const user = await consent(app, {
    scope: 'openid profile',
    ...detailsParameter(PAYMENT, PAYMENT, PAYMENT),
  });
  const { body } = await tokenRequest(site, app, { grant_type: 'client_credentials' }).expect(200);
  const { access_token: client } = body as { access_token: string };
  const tokens = { user, client, exchanged: await exchanged(site, print, user) };
  return { app, tokens, subject: await consent(photos) };
}

type Place = (at: Site, token: string, app: BlockableApp) => PromiseLike<{ readonly status: number }>;
const byBearer = (token: string) => [token, { type: 'bearer' }] as const;
/** Every place that reads an access token. */
const PLACES: Readonly<Record<string, Place>> = {
  guard: (at, token) => callApi(at, token),
  'oauth.verify': (at, token) => request(at.server).post('/verify').set('X-Token', token),
  introspection: async (at, token) => ({
    status: (await introspectAs(at, api, token)).active === true ? 200 : 401,
  }),
  'subject token of an exchange': (at, token) => exchange(at, print, token),
};
const PLACES_OF_USERS: typeof PLACES = {
  ...PLACES,
  userinfo: (at, token) =>
    request(at.server)
      .get('/oauth/userinfo')
      .auth(...byBearer(token)),
  'use of details': (at, token) =>
    request(at.server)
      .post('/pay')
      .auth(...byBearer(token)),
};
const PLACES_OF_CLIENTS: typeof PLACES = {
  guard: (at, token) => callApi(at, token),
  introspection: PLACES.introspection as Place,
  'actor token of an exchange': (at, token, { subject }) =>
    exchange(at, print, subject, { actor_token: token, actor_token_type: ACCESS_TOKEN }),
};
const PLACES_BY_TOKEN = { user: PLACES_OF_USERS, client: PLACES_OF_CLIENTS, exchanged: PLACES };

/** The statuses of all places, for all tokens. */
async function statuses(at: Site, app: BlockableApp): Promise<Record<string, number>> {
  const result: Record<string, number> = {};
  for (const kind of ['user', 'client', 'exchanged'] as const)
    for (const [place, read] of Object.entries(PLACES_BY_TOKEN[kind]))
      result[`${kind}: ${place}`] = (await read(at, app.tokens[kind], app)).status;
  return result;
}

const revoke = async ({ app, tokens }: BlockableApp, ...kinds: readonly ('user' | 'client')[]) => {
  for (const kind of kinds)
    await request(site.server)
      .post('/oauth/revoke')
      .set('Authorization', basic(app.clientId, String(app.clientSecret)))
      .type('form')
      .send({ token: tokens[kind] })
      .expect(200);
};

describe('every place that reads an access token', () => {
  test.each<[string, (app: BlockableApp) => unknown]>([
    ['was revoked by its client', (app) => revoke(app, 'user', 'client')],
    [
      'is of a grant that the site revoked',
      ({ app: { clientId } }) => site.oauth.grants.revoke({ clientId }),
    ],
    ['is of a blocked client', ({ app }) => site.oauth.clients.block(app.clientId)],
    ['is of a deleted client', ({ app }) => site.oauth.clients.delete(app.clientId)],
    ['has expired', () => letPass(2 * 3600)],
    [
      'is of a host that the options block',
      () =>
        openWithApi({
          database: site.database,
          issuer: site.url,
          clientIdMetadataDocuments: { trust: { block: [BLOCKED_HOST] } },
        }),
    ],
  ])('refuses one that %s', async (_how, end) => {
    const app = await obtain();
    const before = await statuses(site, app);
    expect(before).toEqual(Object.fromEntries(Object.keys(before).map((place) => [place, 200])));
    const ended = await end(app);
    const at = (ended as Partial<Site> | undefined)?.server === undefined ? site : (ended as Site);
    const after = await statuses(at, app);
    expect(after).toEqual(
      Object.fromEntries(
        Object.keys(after).map((place) => [place, place.endsWith('of an exchange') ? 400 : 401]),
      ),
    );
    if (at !== site) await at.close();
  });
});
