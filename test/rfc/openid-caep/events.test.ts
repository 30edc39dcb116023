import { beforeAll, expect, test } from '@jest/globals';

import type { SignalName } from '../../../lib/index.js';
import { now } from '../../support/assertions.js';
import { CAEP, openToken, openTransmittingSite, RISC } from '../../support/shared-signals.js';
import { fixture } from '../../support/site-for.js';

let id: string;
const emit = (name: SignalName, event: Readonly<Record<string, unknown>> = {}) =>
  site.oauth.sharedSignals.emit(name, { userId: 'ada', event });
const emitted = async () => {
  const { body } = await site.api('post', `/poll/${id}`, { returnImmediately: true });
  const [token] = Object.values(body.sets as Record<string, string>);
  return (await openToken(site, token!)).payload.events;
};

const site = fixture(() => openTransmittingSite());

beforeAll(async () => {
  id = await site.stream();
});

test('a session-revoked event has a timestamp and a reason [3.1.1-1]', async () => {
  const before = now();
  await emit('session-revoked');
  const events = (await emitted()) as Record<string, { event_timestamp: number; reason_admin: object }>;
  const event = events[`${CAEP}session-revoked`]!;
  expect(event.event_timestamp).toBeGreaterThanOrEqual(before);
  expect(event.reason_admin).toEqual({ en: expect.any(String) });
});

test.each<[SignalName, Readonly<Record<string, unknown>>]>([
  [
    'session-revoked',
    { initiating_entity: 'policy', reason_user: { en: 'Log in again' }, event_timestamp: 1600975810 },
  ],
  ['token-claims-change', { claims: { role: 'guest' } }],
  ['credential-change', { credential_type: 'fido2-roaming', change_type: 'create', friendly_name: 'Key' }],
  ['assurance-level-change', { namespace: 'RFC8176', current_level: 'otp', change_direction: 'increase' }],
  ['device-compliance-change', { previous_status: 'compliant', current_status: 'not-compliant' }],
  [
    'risk-level-change',
    { principal: 'USER', current_level: 'HIGH', risk_reason: 'PASSWORD_FOUND_IN_DATA_BREACH' },
  ],
])(
  'the event %s is sent with the members of the call [2-1] [2-2] [3.2.1-1] [3.3.1-1] [3.3.1-2] [3.4.1-1] [3.4.1-2] [3.5.1-1] [3.8.1-1]',
  async (name, event) => {
    expect(await emit(name, event)).toBe(1);
    expect(await emitted()).toMatchObject({ [`${CAEP}${name}`]: event });
  },
);

test('an account-disabled event of RISC has its reason', async () => {
  await emit('account-disabled', { reason: 'bulk-account' });
  expect(await emitted()).toMatchObject({ [`${RISC}account-disabled`]: { reason: 'bulk-account' } });
});

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['session-revoked', { initiating_entity: 'cat' }, 'initiating_entity'],
  ['session-revoked', { reason_admin: {} }, 'reason_admin'],
  ['session-revoked', { reason_user: 'Log in' }, 'reason_user'],
  ['session-revoked', { event_timestamp: 'now' }, 'event_timestamp'],
  ['token-claims-change', {}, 'claims'],
  ['token-claims-change', { claims: {} }, 'claims'],
  ['credential-change', { change_type: 'create' }, 'credential_type'],
  ['credential-change', { credential_type: 'password', change_type: 'forget' }, 'change_type'],
  ['assurance-level-change', { namespace: 'RFC8176' }, 'current_level'],
  [
    'assurance-level-change',
    { namespace: 'x', current_level: 'y', change_direction: 'up' },
    'change_direction',
  ],
  ['device-compliance-change', { previous_status: 'compliant' }, 'current_status'],
  ['device-compliance-change', { previous_status: 'compliant', current_status: 'gone' }, 'current_status'],
  ['risk-level-change', { principal: 'USER', current_level: 'low' }, 'current_level'],
  ['credential-compromise', {}, 'credential_type'],
  ['sesion-revoked', {}, "did you mean 'session-revoked'"],
])('emit rejects the event %s with %j', async (name, event, problem) => {
  await expect(emit(name as SignalName, event)).rejects.toThrow(problem);
});

test('emit rejects an event without exactly one subject', async () => {
  const { sharedSignals } = site.oauth;
  await expect(sharedSignals.emit('session-revoked', {})).rejects.toThrow('name a userId, or a subject');
  const both = { userId: 'ada', subject: { format: 'opaque', id: 'x' } };
  await expect(sharedSignals.emit('session-revoked', both)).rejects.toThrow('name a userId, or a subject');
  const half = { subject: { format: 'email' } };
  await expect(sharedSignals.emit('session-revoked', half)).rejects.toThrow('a subject identifier');
});
