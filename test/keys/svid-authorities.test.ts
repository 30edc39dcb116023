import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { createSvidAuthorities } from '../../lib/core/keys/svid-authorities.js';
import { letPass } from '../support/clock.js';
import { type JwksServer, openJwksServer } from '../support/jwks-server.js';
import { derOf, describeWithOpenssl, issue, type Issued } from '../support/openssl.js';

const CA = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
const entryOf = (authority: Issued) => ({
  kty: 'EC',
  crv: 'P-256',
  use: 'x509-svid',
  x5c: [derOf(authority)],
});

describeWithOpenssl('the authorities of a SPIFFE trust domain', () => {
  let bundle: JwksServer;
  let first: Issued;
  let second: Issued;
  beforeAll(async () => {
    [first, second] = [issue({ extensions: CA, name: 'First' }), issue({ extensions: CA, name: 'Second' })];
    bundle = await openJwksServer();
    bundle.json({ keys: [entryOf(first)] });
  });
  afterAll(() => bundle?.close());

  test('are parsed once for each bundle; one that has changed is seen', async () => {
    const authorities = createSvidAuthorities({ jwksUri: bundle.url });
    const before = await authorities.find();
    expect(before.map(({ subject }) => subject)).toEqual(['CN=First']);
    expect(await authorities.find()).toBe(before);
    // while a bundle was fetched a moment ago, there is none that is newer
    expect(await authorities.findNewer()).toEqual([]);
    expect(await authorities.find()).toBe(before);
    bundle.json({ keys: [entryOf(second), entryOf(first)] });
    letPass(601);
    const after = await authorities.find();
    expect(after.map(({ subject }) => subject)).toEqual(['CN=Second', 'CN=First']);
    bundle.json({ keys: [entryOf(second)] });
    letPass(31);
    const newer = await authorities.findNewer();
    expect(newer.map(({ subject }) => subject)).toEqual(['CN=Second']);
  });
});
