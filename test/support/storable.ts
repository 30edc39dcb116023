import { expect } from '@jest/globals';
import fc from 'fast-check';
import { exportJWK, generateKeyPair } from 'jose';

import { detailsParameter } from './authorization-details.js';
import { mergeOptions } from './merge-options.js';
import { METADATA, register } from './registration.js';
import { openSite, type Site, type SiteOptions } from './site.js';
import { tokenRequest, whoseGrantIs } from './tokens.js';

/** Names with a meaning for some driver, Mongoose or JavaScript. */
const NAMES = [
  ...'_bsontype __proto__ constructor prototype hasOwnProperty toString valueOf toJSON toBSON'.split(' '),
  ...'toObject inspect length buffer sub_type _subtype id _id _doc __v'.split(' '),
  ...'isMongooseBuffer isMongooseArray isMongooseArrayProxy isMongooseDocumentArray isMongooseMap'.split(' '),
  ...'toHexString oid high low unsigned then get set default ref schema errors'.split(' '),
  ...['$ref', '$id', '$where', '$', '', '.', 'a.b', 'a.', '.a', '0', 'a\0b', '\0', '\ud800', 'a\udc00'],
];
/** The values after such a name. */
const VALUES = [
  ...'ObjectId ObjectID MinKey Int32 Binary Long Map Date Buffer'.split(' '),
  ...['a\0b', '\ud800'],
];

const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 6 }));
const leaf = fc.oneof(
  fc.constantFrom<unknown>(...VALUES),
  fc.constantFrom<unknown>(0, -1, 1.5, 2 ** 31, 2 ** 53 - 1, 1e300, true, null),
  // a form with U+FFFD in it is refused as one with a broken encoding
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll('\ufffd', '')),
);
/** Members as strangers send them: JSON, at most four levels deep. */
export const members: fc.Arbitrary<Record<string, unknown>> = fc
  .letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc
      .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 3, selector: ([key]) => key })
      .map(parsed),
  }))
  .object.map((object) => object);

/** An object that JSON.parse has made: `__proto__` is a name in it. */
function parsed(entries: [string, unknown][]): Record<string, unknown> {
  return JSON.parse(
    `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`,
  ) as Record<string, unknown>;
}

/** A type whose schema lets every field through. */
const OPEN_TYPE = {
  anything: {
    schema: {
      '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
    } as const,
    describe: () => 'Anything',
  },
};

export function openSiteForAnything(options: SiteOptions = {}): Promise<Site> {
  return openSite(
    mergeOptions(
      {
        registration: { open: true },
        security: { rateLimits: false },
        authorizationDetails: OPEN_TYPE,
      },
      options,
    ),
  );
}

/** A client that may have any scopes by client_credentials. */
export function openClient(site: Site): ReturnType<Site['client']> {
  return site.client({ grantTypes: ['client_credentials'], authorizationDetailsTypes: ['anything'] });
}

/** Registers a key with these members, which is refused, or stored as sent. */
export async function registersKey(site: Site, more: Record<string, unknown>): Promise<boolean> {
  const { publicKey } = await key();
  const keys = [{ ...more, ...publicKey }];
  const { status, body } = await register(site, {
    ...METADATA,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys },
  });
  if (status === 400) expect(body.error).toBe('invalid_client_metadata');
  else expect([status, body.error]).toEqual([201, undefined]);
  if (status !== 201) return false;
  const stored = await site.database.find('oauth_clients', body.client_id);
  expect(stored?.jwks).toEqual({ keys });
  return true;
}

/** Requests a detail with these fields, which is refused, or granted, answered and stored as sent. */
export async function grantsDetail(
  site: Site,
  client: Awaited<ReturnType<Site['client']>>,
  more: Record<string, unknown>,
): Promise<boolean> {
  const detail = { ...more, type: 'anything' };
  const { status, body } = await tokenRequest(site, client, {
    grant_type: 'client_credentials',
    ...detailsParameter(detail),
  });
  if (status === 400) expect(body.error).toBe('invalid_authorization_details');
  else expect([status, body.error]).toEqual([200, undefined]);
  if (status !== 200) return false;
  expect(body.authorization_details).toEqual([detail]);
  const stored = await site.database
    .collection('oauth_grants')
    .findOne(whoseGrantIs(body.access_token as string));
  expect((stored?.authorization as { authorizationDetails?: unknown }).authorizationDetails).toEqual([
    detail,
  ]);
  return true;
}

let made: Promise<{ publicKey: Record<string, unknown> }> | undefined;
function key() {
  return (made ??= generateKeyPair('ES256', { extractable: true }).then(async (pair) => ({
    publicKey: { ...(await exportJWK(pair.publicKey)), alg: 'ES256' },
  })));
}
