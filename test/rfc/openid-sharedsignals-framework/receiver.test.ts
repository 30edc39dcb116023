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

describe('the user of an event without findUser', () => {
  test('a sub with the issuer of this site is a user id', async () => {
    await pushed({ claims: { sub_id: own('ada') } });
    await until(() => signals.length > 0);
    expect([signals[0]!.userId, ended]).toEqual(['ada', ['ada']]);
  });

  test.each([
    ['of another issuer', () => ({ format: 'iss_sub', iss: idp.issuer, sub: 'ada' })],
    ['with an e-mail address', () => ({ format: 'email', email: 'ada' })],
    ['with an opaque id', () => ({ format: 'opaque', id: 'ada' })],
    ['of the format catalog_item', () => ({ format: 'catalog_item', catalog_id: 'ada' })],
  ])('a subject %s is no user', async (_what, subject) => {
    await pushed({ claims: { sub_id: subject() } });
    await until(() => signals.length > 0);
    expect([signals[0]!.userId, ended]).toEqual([undefined, []]);
  });

  test('§3.6 the user of a complex subject is the user of the event [3.6-1]', async () => {
    await pushed({ claims: { sub_id: { format: 'complex', user: own('ada'), device: own('phone') } } });
    await until(() => signals.length > 0);
    expect(ended).toEqual(['ada']);
  });

  test('§3.6 an event with an unknown critical member in its subject is ignored [3.6-2]', async () => {
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

test('§4.2.3 unknown members of an event are passed on to onSignal [4.2.3-1]', async () => {
  const events = { [`${CAEP}session-revoked`]: { coffee: true } };
  await pushed({ claims: { sub_id: own('ada'), coffee: true, toe: { a: 1 } }, events });
  await until(() => signals.length > 0);
  expect(signals[0]!.event).toEqual({ coffee: true });
});

test('§4.2.1 a token with several event types counts by the type that the receiver supports', async () => {
  const events = { 'https://idp.example/logout': {}, [`${CAEP}session-revoked`]: {} };
  await pushed({ claims: { sub_id: own('ada') }, events });
  await until(() => signals.length > 0);
  expect(ended).toEqual(['ada']);
  expect(signals[0]!.type).toBe(`${CAEP}session-revoked`);
});

describe('§7.2.4 metadata of another issuer', () => {
  test('metadata of another issuer and its keys are not used [4.1.6-2] [7.2.4-1] [7.2.4-2] [7.2.4-3]', async () => {
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

describe('§8.1.1 stream responses', () => {
  const stream = (changes: object = {}) => ({
    stream_id: 'one',
    iss: idp.issuer,
    aud: AUDIENCE,
    delivery: { method: PUSH, endpoint_url: `${site.url}/oauth/ssf-events` },
    events_delivered: [],
    ...changes,
  });

  test('a stream response with the requested stream is accepted', async () => {
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
    ['for another audience', { aud: 'https://evil.example' }],
    ['without an id', { stream_id: undefined }],
  ])('a stream response %s is refused [8.1.1.1-6] [8.1.1.2-1]', async (_what, changes) => {
    idp.api.set('POST /streams', { status: 201, body: stream(changes) });
    idp.api.set('GET /streams', { status: 200, body: [stream(changes)] });
    await expect(client.createStream()).rejects.toThrow(idp.issuer);
    await expect(client.readStreams()).rejects.toThrow(idp.issuer);
    idp.api.set('PATCH /streams', { status: 200, body: stream(changes) });
    await expect(client.updateStream('one', {})).rejects.toThrow(idp.issuer);
  });

  test('an error status of the transmitter rejects the call, and so does an unknown transmitter', async () => {
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
  test('a verification event needs the state of the request, or is refused with invalid_state [8.1.4.1-3] [8.1.4.1-4]', async () => {
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

  test('a verification event that the transmitter has started needs no state', async () => {
    expect((await verification(undefined)).status).toBe(202);
  });
});

test(`a polled token with a wrong key is refused, while other tokens are accepted (${POLL})`, async () => {
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
