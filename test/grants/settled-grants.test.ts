import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import mongoose from 'mongoose';
import type { Response } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { letLimitEnd } from '../support/clock.js';
import { connectTo, openDatabase, type TestDatabase } from '../support/database.js';
import {
  allowStored,
  DEVICE_GRANT_TYPES,
  deviceClient,
  letTimePass,
  poll,
  startDevice,
} from '../support/device.js';
import { createProofKey, prove } from '../support/dpop.js';
import { aroundNext } from '../support/meanwhile.js';
import { type MongoProxy, startMongoProxy } from '../support/mongo-proxy.js';
import { openSite, type Site } from '../support/site.js';
import {
  callApi,
  createPkce,
  obtainCode,
  obtainTokens,
  redeem,
  refreshTokens,
  whoseGrantIs,
} from '../support/tokens.js';
import { until } from '../support/until.js';

/**
 * The database has done a step, but its answer was lost: 503, and the client asks again after `Retry-After`. Nobody
 * has tokens from the first try, so the second one is not a replay (RFC 6749 §4.1.2, §10.4).
 */
const OPTIONS = {
  grantTypes: DEVICE_GRANT_TYPES,
  security: { rateLimits: false },
  advanced: { clientCacheTtl: 0 },
} as const;

let database: TestDatabase;
let proxy: MongoProxy;
/** A process whose connection to the database loses answers. */
let site: Site;
/** Another process of the same site. */
let other: Site;
let client: ClientWithSecret;

beforeAll(async () => {
  database = await openDatabase();
  other = await openSite({ ...OPTIONS, database });
  proxy = await startMongoProxy(database.uri);
  // the driver's retry would hide the loss
  const behindProxy = await connectTo(proxy.uri, { retryWrites: false });
  site = await openSite({ ...OPTIONS, issuer: other.url, database: behindProxy });
  client = await other.client();
});
afterAll(async () => {
  await site.oauth.close();
  await site.close();
  await site.database.connection.close();
  await proxy.close();
  await other.close();
  await database.close();
});

/** Sends a request whose write to the grant is done; the answers to it and to its repetition are lost. */
async function losing(request: () => PromiseLike<Response>, word = '$gt'): Promise<void> {
  // writes that use something up compare its expiry (`$gt`); revocations do not
  proxy.loseAnswersTo('update', 'oauth_grants', word);
  const { status, headers } = await request();
  proxy.mend();
  expect([status, headers['retry-after']]).toEqual([503, '5']);
}

/** Sends a request whose write to the grant is done; its answer is lost, that to its repetition is not. */
function losingOnce(request: () => PromiseLike<Response>, word = '$gt'): PromiseLike<Response> {
  // the time in which the repetition has to be answered
  letLimitEnd(2000, 'by hand');
  proxy.loseAnswerTo('update', 'oauth_grants', word);
  return request();
}

/** The process whose answers are lost undoes no write until the function that is returned. */
function holdUndoing(): () => void {
  const { collection } = site.oauth.models.Grant;
  const updateOne = collection.updateOne.bind(collection);
  let goOn = (): void => undefined;
  const released = new Promise<void>((resolve) => (goOn = resolve));
  const spy = jest.spyOn(collection, 'updateOne').mockImplementation(async (...given) => {
    if ('resend.isAnswered' in given[0]) await released;
    return updateOne(...given);
  });
  return () => {
    spy.mockRestore();
    goOn();
  };
}

async function expectLive({
  status,
  body,
}: Response): Promise<{ access_token: string; refresh_token: string }> {
  expect([status, body.error]).toEqual([200, undefined]);
  expect((await callApi(site, body.access_token)).status).toBe(200);
  return body;
}

function expectReplay({ status, body }: Response): void {
  expect([status, body.error]).toEqual([400, 'invalid_grant']);
}

const refresh = (at: Site, refreshToken: string) => refreshTokens(at, client, refreshToken);
const stored = (secret: string) => database.collection('oauth_grants').findOne(whoseGrantIs(secret));

/** Does something between a read of a grant by the other process and its write. */
const beforeNextUpdate = (happens: () => Promise<unknown>) =>
  aroundNext(other.oauth.models.Grant as never, 'updateOne', { before: happens });

describe('a write whose first answer was lost is repeated', () => {
  test('a code gives tokens once', async () => {
    const code = await obtainCode(site, client);
    await expectLive(await losingOnce(() => redeem(site, client, code)));
    const grant = await stored(code);
    expect([grant?.accessTokens.length, grant?.revokedAt]).toEqual([1, undefined]);
    expectReplay(await redeem(other, client, code));
  });

  test('a refresh token gives tokens once', async () => {
    const first = await obtainTokens(site, client);
    const second = await expectLive(await losingOnce(() => refresh(site, first.refresh_token)));
    expect((await stored(first.refresh_token))?.accessTokens).toHaveLength(2);
    await expectLive(await refresh(other, second.refresh_token));
    expectReplay(await refresh(other, first.refresh_token));
  });

  test('a device code gives tokens once', async () => {
    const frame = await deviceClient(other);
    const device = await startDevice(site, frame, { scope: 'profile' });
    await allowStored(other, device);
    await expectLive(await losingOnce(() => poll(site, frame, device), 'device.usedAt'));
    await letTimePass(other, device, 10);
    expectReplay(await poll(other, frame, device));
  });
});

describe('a step that the database did not acknowledge', () => {
  test('a code whose redemption was not acknowledged is refused if its grant is revoked before the repetition', async () => {
    const code = await obtainCode(site, client);
    const first = site.oauth.models.Grant as never;
    const revoke = () => other.oauth.grants.revoke({ clientId: client.clientId });
    aroundNext(first, 'updateOne', {
      before: () => Promise.resolve(aroundNext(first, 'updateOne', { before: revoke })),
    });
    expectReplay(await losingOnce(() => redeem(site, client, code)));
    const grant = await stored(code);
    expect([grant?.accessTokens.length, grant?.revokedAt]).toEqual([1, expect.any(Date)]);
  });

  test('a code that another process redeemed before a lost answer is a replay', async () => {
    const code = await obtainCode(site, client);
    aroundNext(site.oauth.models.Grant as never, 'updateOne', {
      before: () => redeem(other, client, code),
    });
    expectReplay(await losingOnce(() => redeem(site, client, code)));
    expect((await stored(code))?.revokedAt).toBeInstanceOf(Date);
  });

  test('a DPoP proof whose request was not acknowledged is accepted once (RFC 9449 §11.1)', async () => {
    const bound = await openSite({
      ...OPTIONS,
      dpop: true,
      tokens: { reuseGrace: 30 },
      issuer: other.url,
      database: site.database,
    });
    const proof = await prove(await createProofKey(), 'POST', `${other.url}/oauth/token`);
    const code = await obtainCode(bound, client);
    const ask = () => redeem(bound, client, code).set('DPoP', proof);
    const { status, body } = await losingOnce(ask);
    expect([status, body.token_type]).toEqual([200, 'DPoP']);
    const again = await ask();
    expect([again.status, again.body.error]).toEqual([400, 'invalid_dpop_proof']);
    await bound.oauth.close();
    await bound.close();
  });
});

describe('a code', () => {
  test('a code works for the second try if the answer to its first redemption was lost', async () => {
    const code = await obtainCode(site, client);
    const undo = holdUndoing();
    await losing(() => redeem(site, client, code));
    expect((await stored(code))?.code.usedAt).toBeInstanceOf(Date);
    undo();
    const tokens = await expectLive(await redeem(site, client, code));
    expectReplay(await redeem(site, client, code));
    expect((await callApi(site, tokens.access_token)).status).toBe(401);
  });

  test('a code whose redemption was not acknowledged is redeemed at another process after the undo', async () => {
    const code = await obtainCode(site, client);
    await losing(() => redeem(site, client, code));
    await until(async () => (await stored(code))?.code.usedAt === undefined);
    await expectLive(await redeem(other, client, code));
    expect((await stored(code))?.accessTokens).toHaveLength(1);
  });

  test('a code whose redemption was not acknowledged is redeemed at another process during the undo', async () => {
    const code = await obtainCode(site, client);
    const undo = holdUndoing();
    await losing(() => redeem(site, client, code));
    beforeNextUpdate(() => {
      undo();
      return until(async () => (await stored(code))?.code.usedAt === undefined);
    });
    await expectLive(await redeem(other, client, code));
    expectReplay(await redeem(other, client, code));
  });

  test('a code whose redemption was not acknowledged is a replay at another process before the undo', async () => {
    const code = await obtainCode(site, client);
    const undo = holdUndoing();
    await losing(() => redeem(site, client, code));
    expectReplay(await redeem(other, client, code));
    undo();
    expectReplay(await redeem(site, client, code));
    expect((await stored(code))?.revokedAt).toBeInstanceOf(Date);
  });

  test('a code whose redemption was not acknowledged gives another client no tokens', async () => {
    const { code_verifier, challenge } = createPkce();
    const code = await obtainCode(site, client, { query: challenge });
    await losing(() => redeem(site, client, code, { code_verifier }));
    const thief = await other.client();
    expectReplay(await redeem(site, thief, code, { code_verifier }));
    expectReplay(await redeem(site, client, code, { code_verifier: createPkce().code_verifier }));
    await expectLive(await redeem(site, client, code, { code_verifier }));
  });

  test('a code that expires after its answer was lost is refused', async () => {
    const code = await obtainCode(site, client);
    await losing(() => redeem(site, client, code));
    await database
      .collection('oauth_grants')
      .updateOne(whoseGrantIs(code), { $set: { 'code.expiresAt': new Date(0) } });
    expectReplay(await redeem(site, client, code));
    expect((await stored(code))?.accessTokens).toEqual([]);
  });
});

describe.each([0, 30])('a refresh token, with a reuseGrace of %i', (reuseGrace) => {
  let patient: Site;

  beforeAll(async () => {
    const { connection } = site.database;
    patient = await openSite({
      ...OPTIONS,
      tokens: { reuseGrace },
      issuer: other.url,
      database: { ...database, connection },
    });
  });
  afterAll(async () => {
    await patient.oauth.close();
    await patient.close();
  });

  test('a refresh token whose rotation was not acknowledged refreshes by the second try, not by a third one', async () => {
    const first = await obtainTokens(patient, client);
    await losing(() => refresh(patient, first.refresh_token));
    const second = await expectLive(await refresh(patient, first.refresh_token));
    expect((await callApi(patient, first.access_token)).status).toBe(200);
    await expectLive(await refresh(patient, second.refresh_token));
    expectReplay(await refresh(patient, first.refresh_token));
    expect((await callApi(patient, second.access_token)).status).toBe(401);
  });

  test('a refresh token whose rotation was not acknowledged gives tokens at another process after the undo', async () => {
    const first = await obtainTokens(patient, client);
    const before = await stored(first.refresh_token);
    await losing(() => refresh(patient, first.refresh_token));
    await until(async () => (await stored(first.refresh_token))?.accessTokens.length === 1);
    expect(await stored(first.refresh_token)).toEqual(before);
    await expectLive(await refresh(other, first.refresh_token));
  });

  if (reuseGrace > 0)
    test('a refresh that another process has answered and continued is not undone', async () => {
      const helpful = await openSite({ ...OPTIONS, tokens: { reuseGrace }, issuer: other.url, database });
      const first = await obtainTokens(patient, client);
      await losing(() => refresh(patient, first.refresh_token));
      const second = await expectLive(await refresh(helpful, first.refresh_token));
      const third = await expectLive(await refresh(helpful, second.refresh_token));
      // this process cannot tell yet whether its first try was done
      const fourth = await expectLive(await refresh(patient, third.refresh_token));
      for (const { access_token: token } of [second, third, fourth])
        expect((await callApi(patient, token)).status).toBe(200);
      await helpful.close();
    });

  test('a refresh token whose rotation was not acknowledged gives tokens at another process during the undo', async () => {
    const first = await obtainTokens(patient, client);
    const undo = holdUndoing();
    await losing(() => refresh(patient, first.refresh_token));
    beforeNextUpdate(() => {
      undo();
      return until(async () => (await stored(first.refresh_token))?.accessTokens.length === 1);
    });
    const second = await expectLive(await refresh(other, first.refresh_token));
    await expectLive(await refresh(other, second.refresh_token));
  });
});

describe.each([30, 'untilUsed'] as const)(
  'a write that was done and answered with “not primary”',
  (reuseGrace) => {
    test.each(['code', 'refresh token'])(
      `a “not primary” answer: another process gives the same tokens (reuseGrace ${reuseGrace}, %s)`,
      async (kind) => {
        const options = { ...OPTIONS, tokens: { reuseGrace }, issuer: other.url };
        const losing = await openSite({ ...options, database: site.database });
        const answering = await openSite({ ...options, database });
        const secret =
          kind === 'code'
            ? await obtainCode(losing, client)
            : (await obtainTokens(losing, client)).refresh_token;
        const send = (at: Site) => (kind === 'code' ? redeem(at, client, secret) : refresh(at, secret));

        const election = holdElection(losing);
        expect((await send(losing)).status).toBe(503);
        const { status, body: tokens } = await send(answering);
        expect(status).toBe(200);
        await election.end();
        expect((await stored(secret))?.revokedAt).toBeUndefined();
        await expectLive(await refresh(losing, tokens.refresh_token));
        expect((await callApi(answering, tokens.access_token)).status).toBe(200);
        await losing.oauth.close();
        await losing.close();
        await answering.close();
      },
    );
  },
);

/** The next write of this process is done; the server answers “not primary” to it and to later ones until `end`. */
function holdElection({ oauth }: Site) {
  const { collection } = oauth.models.Grant;
  const updateOne = collection.updateOne.bind(collection);
  let writes = 0;
  let isOver = false;
  const spy = jest.spyOn(collection, 'updateOne').mockImplementation((async (
    ...given: Parameters<typeof updateOne>
  ) => {
    writes += 1;
    const result = isOver || writes === 1 ? await updateOne(...given) : undefined;
    if (isOver) return result;
    throw new mongoose.mongo.MongoServerError({ ok: 0, code: 10_107, errmsg: 'not primary' });
  }) as never);
  return {
    /** The process has tried to undo its write by then. */
    async end() {
      isOver = true;
      const before = writes;
      await until(() => writes > before);
      spy.mockRestore();
    },
  };
}

test('a rotated refresh token is a reuse even while an answer to its successor is lost', async () => {
  const first = await obtainTokens(site, client);
  const { body: second } = await refresh(site, first.refresh_token);
  await losing(() => refresh(site, second.refresh_token));
  expectReplay(await refresh(site, first.refresh_token));
  expectReplay(await refresh(site, second.refresh_token));
});

/** A device that the user has allowed, and whose first poll after that was done, but not answered. */
async function loseRedemption() {
  const frame = await deviceClient(other);
  const device = await startDevice(site, frame, { scope: 'profile' });
  await allowStored(other, device);
  const undo = holdUndoing();
  await losing(() => poll(site, frame, device), 'device.usedAt');
  expect((await stored(device.device_code))?.device.usedAt).toBeInstanceOf(Date);
  await letTimePass(other, device, 10);
  return { frame, device, undo };
}

test('a device code whose redemption was not acknowledged is redeemed by the next poll, not by a later one', async () => {
  const { frame, device, undo } = await loseRedemption();
  undo();
  await expectLive(await poll(site, frame, device));
  await letTimePass(other, device, 10);
  expectReplay(await poll(site, frame, device));
});

test('a device code polled elsewhere during the undo is pending, then redeemed', async () => {
  const { frame, device, undo } = await loseRedemption();
  beforeNextUpdate(() => {
    undo();
    return until(async () => (await stored(device.device_code))?.device.usedAt === undefined);
  });
  expect((await poll(other, frame, device)).body.error).toBe('authorization_pending');
  await letTimePass(other, device, 10);
  await expectLive(await poll(other, frame, device));
});

test('a code is 503 again while the database stays away, and is redeemed once it is back', async () => {
  const code = await obtainCode(site, client);
  await losing(() => redeem(site, client, code));
  proxy.cut();
  expect((await redeem(site, client, code)).status).toBe(503);
  proxy.mend();
  await until(async () => (await callApi(site, `eas_at_${'x'.repeat(65)}`)).status === 401);
  await expectLive(await redeem(site, client, code));
});
