import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import type { ReceivedSignal, TransmitterClient } from '../../../lib/index.js';
import {
  AUDIENCE,
  CAEP,
  openTransmitter,
  POLL,
  PUSH,
  push,
  SSF,
  type TokenParts,
} from '../../support/shared-signals.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { until } from '../../support/until.js';

let client: TransmitterClient;
let signals: ReceivedSignal[] = [];
let ended: string[] = [];

const pushed = async (parts?: TokenParts) => push(site, await idp.token(parts));
const pending = () => site.oauth.models.ReceivedEvent?.countDocuments({ nextAt: { $exists: true } });
const own = (sub: string) => ({ format: 'iss_sub', iss: site.url, sub });

const idp = fixture(() => openTransmitter());
const site = siteFor(() => ({
  sharedSignals: {
    receiver: {
      transmitters: [
        {
          issuer: idp.issuer,
          audience: ['https://other.example', AUDIENCE],
          allowPrivateAddresses: true,
          accessToken: () => 'of the test',
        },
      ],
      endSessions: (userId) => void ended.push(userId),
      onSignal: (signal) => void signals.push(signal),
    },
  },
}));

beforeAll(() => {
  client = site.oauth.sharedSignals.transmitter(idp.issuer);
});
beforeEach(() => {
  [signals, ended] = [[], []];
  idp.api.clear();
});
afterEach(() => until(async () => (await pending()) === 0));

describe('whom an event is about, if the host does not say', () => {
  test('is a user by the issuer of this site', async () => {
    await pushed({ claims: { sub_id: own('ada') } });
    await until(() => signals.length > 0);
    expect([signals[0]!.userId, ended]).toEqual(['ada', ['ada']]);
  });

  test.each([
    ['by another issuer', () => ({ format: 'iss_sub', iss: idp.issuer, sub: 'ada' })],
    ['by an e-mail address', () => ({ format: 'email', email: 'ada' })],
    ['by an opaque id', () => ({ format: 'opaque', id: 'ada' })],
    ['in a format of two others', () => ({ format: 'catalog_item', catalog_id: 'ada' })],
  ])('is nobody %s', async (_what, subject) => {
    await pushed({ claims: { sub_id: subject() } });
    await until(() => signals.length > 0);
    expect([signals[0]!.userId, ended]).toEqual([undefined, []]);
  });

  test('§3.6 is the user of a complex subject [3.6-1]', async () => {
    await pushed({ claims: { sub_id: { format: 'complex', user: own('ada'), device: own('phone') } } });
    await until(() => signals.length > 0);
    expect(ended).toEqual(['ada']);
  });

  test('§3.6 is nobody if a critical member is not understood [3.6-2]', async () => {
    const tenant = { format: 'opaque', id: '1234' };
    idp.metadata = { ...idp.metadata, critical_subject_members: ['tenant', 'user'] };
    await using other = await openSite({
      sharedSignals: {
        receiver: {
          transmitters: [{ issuer: idp.issuer, audience: AUDIENCE, allowPrivateAddresses: true }],
          endSessions: (userId) => void ended.push(userId),
          onSignal: (signal) => void signals.push(signal),
        },
      },
    });
    const user = { format: 'iss_sub', iss: other.url, sub: 'ada' };
    const token = (subject: object) =>
      idp.token({ claims: { sub_id: { format: 'complex', user, ...subject } } });
    expect((await push(other, await token({ tenant }))).status).toBe(202);
    expect((await push(other, await token({}))).status).toBe(202);
    await until(() => signals.length > 0);
    await until(
      async () =>
        (await other.oauth.models.ReceivedEvent?.countDocuments({ nextAt: { $exists: true } })) === 0,
    );
    expect(signals.map(({ subject }) => subject)).toEqual([{ format: 'complex', user }]);
  });
});

test('§4.2.3 what is not understood in an event is passed on, and does no harm [4.2.3-1]', async () => {
  const events = { [`${CAEP}session-revoked`]: { coffee: true } };
  await pushed({ claims: { sub_id: own('ada'), coffee: true, toe: { a: 1 } }, events });
  await until(() => signals.length > 0);
  expect(signals[0]!.event).toEqual({ coffee: true });
});

test('§4.2.1 of several names of one event the one that is understood counts', async () => {
  const events = { 'https://idp.example/logout': {}, [`${CAEP}session-revoked`]: {} };
  await pushed({ claims: { sub_id: own('ada') }, events });
  await until(() => signals.length > 0);
  expect(ended).toEqual(['ada']);
  expect(signals[0]!.type).toBe(`${CAEP}session-revoked`);
});

describe('§7.2.4 metadata of another issuer', () => {
  test('are not used, nor are the keys that they name [4.1.6-2] [7.2.4-1] [7.2.4-2] [7.2.4-3]', async () => {
    const evil = await openTransmitter();
    const other = await openSite({
      sharedSignals: {
        receiver: {
          transmitters: [{ issuer: evil.issuer, audience: AUDIENCE, allowPrivateAddresses: true }],
          endSessions: () => undefined,
        },
      },
    });
    evil.metadata = { ...evil.metadata, issuer: 'https://idp.example' };
    expect((await push(other, await evil.token())).status).toBe(503);
    expect(evil.jwks.requests).toEqual(['/.well-known/ssf-configuration']);
    await Promise.all([other.close(), evil.close()]);
  });
});

describe('§8.1.1 the answer about a stream', () => {
  const stream = (changes: object = {}) => ({
    stream_id: 'one',
    iss: idp.issuer,
    aud: AUDIENCE,
    delivery: { method: PUSH, endpoint_url: `${site.url}/oauth/ssf-events` },
    events_delivered: [],
    ...changes,
  });

  test('is taken if it is what was asked for', async () => {
    idp.api.set('POST /streams', { status: 201, body: stream() });
    idp.api.set('GET /streams', { status: 200, body: [stream()] });
    expect(await client.createStream()).toEqual(stream());
    expect(await client.readStreams()).toEqual([stream()]);
    idp.api.set('GET /streams', { status: 200, body: stream() });
    expect(await client.readStream('one')).toEqual(stream());
    await expect(client.readStream('two')).rejects.toThrow('another stream');
    for (const method of ['PATCH', 'PUT']) idp.api.set(`${method} /streams`, { status: 200, body: stream() });
    expect(await client.updateStream('one', { description: 'Photos' })).toEqual(stream());
    expect(await client.replaceStream('one')).toEqual(stream());
  });

  test.each([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for somebody else', { aud: 'https://evil.example' }],
    ['without an id', { stream_id: undefined }],
  ])('is refused if it is %s [8.1.1.1-6] [8.1.1.2-1]', async (_what, changes) => {
    idp.api.set('POST /streams', { status: 201, body: stream(changes) });
    idp.api.set('GET /streams', { status: 200, body: [stream(changes)] });
    await expect(client.createStream()).rejects.toThrow(idp.issuer);
    await expect(client.readStreams()).rejects.toThrow(idp.issuer);
    idp.api.set('PATCH /streams', { status: 200, body: stream(changes) });
    await expect(client.updateStream('one', {})).rejects.toThrow(idp.issuer);
  });

  test('is an error if it is one', async () => {
    idp.api.set('POST /streams', { status: 409, body: {} });
    await expect(client.createStream()).rejects.toThrow('status 409');
    expect(() => site.oauth.sharedSignals.transmitter('https://evil.example')).toThrow('is none of');
  });
});

describe('§8.1.4.1 a verification', () => {
  const verification = (state: unknown, id = 'one') =>
    pushed({
      claims: { sub_id: { format: 'opaque', id } },
      events: { [`${SSF}verification`]: state === undefined ? {} : { state } },
    });
  const askFor = async (streamId: string): Promise<string> => {
    let state = '';
    idp.jwks.answer((req, res) => {
      let text = '';
      req.on('data', (part: Buffer) => (text += part.toString()));
      req.on('end', () => {
        ({ state } = JSON.parse(text) as { state: string });
        res.writeHead(204).end();
      });
    });
    await client.verify(streamId);
    return state;
  };
  test('with the state that was sent is taken, and with another is invalid_state [8.1.4.1-3] [8.1.4.1-4]', async () => {
    const state = await askFor('one');
    idp.jwks.json({ keys: [idp.key.publicJwk] });
    expect((await verification(state)).status).toBe(202);
    for (const [wrong, id] of [
      [`${state}x`, 'one'],
      ['nonsense', 'one'],
      [7, 'one'],
      [state, 'other'],
    ] as const) {
      const { status, body } = await verification(wrong, id);
      expect([status, body.err]).toEqual([400, 'invalid_state']);
    }
  });

  test('that its transmitter has begun needs no state', async () => {
    expect((await verification(undefined)).status).toBe(202);
  });
});

test(`a stream that is polled is none that pushes (${POLL})`, async () => {
  const polling = await openTransmitter();
  polling.api.set('GET /streams', { status: 200, body: [] });
  polling.api.set('POST /streams', {
    status: 201,
    body: {
      stream_id: 'one',
      iss: polling.issuer,
      aud: AUDIENCE,
      delivery: { method: POLL, endpoint_url: `${polling.issuer}/poll/one` },
    },
  });
  const foreign = await idp.token({ claims: { aud: AUDIENCE, iss: polling.issuer }, key: idp.key });
  const token = await polling.token();
  polling.api.set('POST /poll/one', { status: 200, body: { sets: { foreign, own: token } } });
  const refused: unknown[] = [];
  const other = await openSite({
    sharedSignals: {
      receiver: {
        transmitters: [
          {
            issuer: polling.issuer,
            audience: AUDIENCE,
            allowPrivateAddresses: true,
            delivery: 'poll',
            accessToken: () => 'of the test',
          },
        ],
        endSessions: () => undefined,
        onSignal: (signal) => void signals.push(signal),
      },
    },
  });
  other.oauth.events.on('signal.refused', ({ error }) => refused.push(error));
  await until(() => signals.length > 0 && refused.length > 0);
  expect(refused[0]).toBe('invalid_key');
  expect(signals).toHaveLength(1);
  await Promise.all([other.close(), polling.close()]);
});
