import { describe, expect, test } from '@jest/globals';

import type { AuthorizationServerOptions } from '../../../lib/index.js';
import { SSF_SCOPES } from '../../support/shared-signals.js';
import { openSite, SCOPES } from '../../support/site.js';

type Options = Partial<AuthorizationServerOptions>;

const transmitter = { issuer: 'https://idp.example', audience: 'https://photos.example' };
const receiverOf = (...transmitters: readonly object[]): Options => ({
  sharedSignals: { receiver: { transmitters: transmitters as never, endSessions: () => undefined } },
});
const transmitterOf = (...receivers: readonly object[]): Options => ({
  scopes: SSF_SCOPES,
  sharedSignals: { transmitter: { receivers: receivers as never } },
});

describe('the options of shared signals', () => {
  test.each<[string, Options, string]>([
    ['no member', { sharedSignals: {} }, 'does nothing'],
    ['no receivers', transmitterOf(), 'a list of receivers'],
    [
      'a receiver twice',
      transmitterOf({ clientId: 'desk' }, { clientId: 'desk' }),
      "the client 'desk' twice",
    ],
    [
      'no scope ssf.manage',
      { ...transmitterOf({ clientId: 'desk' }), scopes: SCOPES },
      "needs the scope 'ssf.manage'",
    ],
    ['no transmitters', receiverOf(), 'a list of transmitters'],
    ['a transmitter by http:', receiverOf({ ...transmitter, issuer: 'http://idp.example' }), 'https: URL'],
    ['a transmitter twice', receiverOf(transmitter, transmitter), 'is never used'],
    ['a poll without a token', receiverOf({ ...transmitter, delivery: 'poll' }), 'write accessToken'],
    ['a short secret', receiverOf({ ...transmitter, authorization: 'Bearer x' }), 'at least 32 characters'],
    ['a misspelt member', receiverOf({ ...transmitter, audiense: 'x' }), "did you mean 'audience'?"],
    [
      'no way to end sessions',
      { sharedSignals: { receiver: { transmitters: [transmitter] } as never } },
      'endSessions is missing',
    ],
    [
      'this site as the transmitter',
      {
        issuer: 'https://photos.example',
        ...receiverOf({ ...transmitter, issuer: 'https://photos.example' }),
      },
      'is this server itself',
    ],
    [
      'no signing key at a public site',
      { issuer: 'https://photos.example', ...transmitterOf({ clientId: 'desk' }), signingKeys: {} },
      'sharedSignals.transmitter: needs signingKeys.encryptionSecret',
    ],
  ])('sharedSignals with %s is refused when the server starts', async (_what, options, problem) => {
    await expect(openSite(options)).rejects.toThrow(problem);
  });

  test('the error of a short secret does not contain the secret', async () => {
    const refused = await openSite(receiverOf({ ...transmitter, authorization: 'Bearer hunter2' })).catch(
      String,
    );
    expect(refused).toContain('authorization');
    expect(refused).not.toContain('hunter2');
  });

  test('without sharedSignals its functions throw and say which option to write', async () => {
    await using site = await openSite();
    const { sharedSignals } = site.oauth;
    await expect(sharedSignals.emit('session-revoked', { userId: 'ada' })).rejects.toThrow('transmitter: {');
    await expect(sharedSignals.streams()).rejects.toThrow('transmitter: {');
    await expect(sharedSignals.updateStatus({ streamId: 'x', status: 'paused' })).rejects.toThrow(
      'transmitter',
    );
    expect(() => sharedSignals.transmitter('https://idp.example')).toThrow('receiver: {');
  });
});
