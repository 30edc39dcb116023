import { afterAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import { BUILT_IN, registryOf } from '../../lib/features.js';
import { parseSettings, type Settings } from '../../lib/settings/settings.js';

const connection = mongoose.createConnection();
afterAll(() => connection.close());

const settingsOf = (options: object): Settings =>
  parseSettings(
    { issuer: 'https://photos.example', connection, scopes: {}, login: '/login', ...options },
    registryOf(BUILT_IN),
  );

/** The effect of each part, as far as the settings show it. */
const partsOf = (options: object) => {
  const settings = settingsOf(options);
  return {
    pkce: settings.security.pkce,
    requireResource: settings.security.requireResource,
    documents: settings.clientIdMetadataDocuments !== false,
    registration: settings.registration && settings.registration.open,
    reuseGrace: settings.tokens.reuseGrace,
  };
};

const OFF = {
  pkce: 'public',
  requireResource: false,
  documents: false,
  registration: false,
  reuseGrace: 0,
};
const ON = {
  pkce: 'all',
  requireResource: true,
  documents: true,
  registration: true,
  reuseGrace: 10,
};

describe('the option agents', () => {
  test.each([[{}], [{ agents: false }], [{ agents: undefined }]])('%j sets nothing for agents', (options) => {
    expect(partsOf(options)).toEqual(OFF);
  });

  test('agents: true sets all options for agents, and keeps the limits of registration', () => {
    expect(partsOf({ agents: true })).toEqual(ON);
    expect(settingsOf({ agents: true }).registration).toMatchObject({ maxClients: 1000, unusedTtl: 86_400 });
  });

  test('agents: true with a FAPI profile sets no reuseGrace', () => {
    expect(settingsOf({ agents: true, profile: 'fapi2' }).tokens.reuseGrace).toBe(0);
  });

  test("agents: true keeps the host's settings, except undefined ones", () => {
    expect(
      partsOf({
        agents: true,
        security: { pkce: 'public', requireResource: false },
        clientIdMetadataDocuments: false,
        registration: {},
        tokens: { reuseGrace: 0 },
      }),
    ).toEqual({ ...OFF, registration: false });
    expect(partsOf({ agents: true, security: { pkce: undefined }, registration: undefined })).toEqual(ON);
  });

  test.each([
    [{ grantTypes: ['client_credentials'] }, /option grantTypes: with agents, agents ask people by codes/],
    [{ security: { pkce: 'optional' } }, /option security.pkce: with agents, a stolen code/],
    [{ pushedRequests: { required: true } }, /option pushedRequests.required: with agents, .* push/],
    [{ signedRequests: { required: true } }, /option signedRequests.required: with agents, .* sign/],
  ])('agents: true is refused beside %j', (options, message) => {
    expect(() => settingsOf({ agents: true, ...options })).toThrow(message);
    expect(() => settingsOf({ agents: false, ...options })).not.toThrow(/with agents/);
  });

  test.each([
    ['yes', /option agents must be a boolean/],
    [{ requireResource: false }, /option agents must be a boolean/],
  ])('agents: %j is refused', (agents, message) => {
    expect(() => settingsOf({ agents })).toThrow(TypeError);
    expect(() => settingsOf({ agents })).toThrow(message);
  });
});
