import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';

import { printedFields, readFlags, withFlags } from '../../lib/cli/client-flags.js';
import type { Client, ClientMetadata } from '../../lib/core/clients/client.js';
import type { ClientField } from '../../lib/core/clients/client-field.js';
import { CLIENT_FIELDS, DETAIL_FIELDS } from '../../lib/core/clients/client-fields.js';
import { findClientProblems, pickMetadata, withDefaults } from '../../lib/core/clients/client-metadata.js';
import type { ClientStore } from '../../lib/core/clients/client-store.js';
import { createClientService } from '../../lib/core/clients/registry/client-service.js';
import { createClientRegistry } from '../../lib/core/clients/registry/create-client-registry.js';
import { textSchema } from '../../lib/core/clients/validation/schemas.js';
import { parseRegistration } from '../../lib/core/clients/wire-metadata.js';
import { createReportChange } from '../../lib/delivery/report-change.js';
import { allClientFields, BUILT_IN } from '../../lib/features.js';
import { formatRegistration } from '../../lib/features/registration/format-registration.js';

const LIMITS = {
  scopes: ['photos:read'],
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  tokenEndpointAuthMethods: ['client_secret_basic', 'none', 'private_key_jwt'],
  methods: BUILT_IN.clientAuthenticationMethods,
};
const RULES = {
  ...LIMITS,
  defaultScopes: LIMITS.scopes,
  responseTypes: [{ responseType: 'code', grantType: 'authorization_code' }],
};
const SHOP = { name: 'Shop', redirectUris: ['https://shop.example/callback'] };
const KEY = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

const complete = (given: object, fields?: readonly ClientField[]) =>
  withDefaults({ ...SHOP, ...given }, { limits: LIMITS, defaultScopes: LIMITS.scopes }, fields);

const wireNames = (fields: readonly ClientField[]) =>
  fields.flatMap(({ wire }) => (wire === undefined ? [] : [wire.name]));

/** A registry over a store in memory. */
function openRegistry(fields = CLIENT_FIELDS) {
  const stored = new Map<string, Client>();
  const clients = {
    find: (id: string) => Promise.resolve(stored.get(id) ?? null),
    keep: () => Promise.resolve(),
    customFields: [],
    insert: (client: Client) => {
      if (stored.has(client.clientId)) return Promise.resolve(null);
      stored.set(client.clientId, client);
      return Promise.resolve(client);
    },
    update: ({ clientId: id }: Client, changes: Partial<ClientMetadata>) => {
      stored.set(id, { ...stored.get(id)!, ...changes });
      return Promise.resolve(stored.get(id)!);
    },
  } as unknown as ClientStore;
  const models = { clients, grants: {} as never, consents: {} as never, reportChange: createReportChange() };
  return createClientRegistry(
    createClientService({ models, limits: LIMITS, defaultScopes: undefined, fields }),
  );
}

describe('the table of client fields', () => {
  it.each(CLIENT_FIELDS.map((field) => [field.name, field] as const))(
    '%s: a value of the wrong type is refused with a message of the package',
    (name) => {
      for (const wrong of [{ $ne: null }, [[]], Symbol('x'), 1n]) {
        const [problem] = findClientProblems(complete({ [name]: wrong }), LIMITS);
        expect(problem?.problem ?? '').not.toMatch(/invalid/i);
        expect(problem?.field).toBeDefined();
      }
    },
  );

  it.each(wireNames(CLIENT_FIELDS).filter((name) => name !== 'client_name'))(
    '%s: a registration with the wrong type is refused with a message of the package',
    (name) => {
      const request = { redirect_uris: SHOP.redirectUris, [name]: { $ne: null } };
      expect(() => parseRegistration(request, RULES)).toThrow(name);
      expect(() => parseRegistration(request, RULES)).not.toThrow(/invalid input/i);
    },
  );

  it.each([...wireNames(DETAIL_FIELDS), 'client_name'])(
    '%s: a registration with the wrong type leaves the member out (RFC 7591 §3.2.1)',
    (name) => {
      const request = { redirect_uris: SHOP.redirectUris, [name]: { $ne: null } };
      expect(parseRegistration(request, RULES)).toEqual(
        parseRegistration({ redirect_uris: SHOP.redirectUris }, RULES),
      );
    },
  );

  it('a registration and the registry accept equally many keys and redirect URIs', () => {
    const keys = (count: number) => ({ keys: Array.from({ length: count }, () => KEY) });
    const uris = (count: number) => Array.from({ length: count }, (_, at) => `https://shop.example/${at}`);
    const register = (jwks: object, redirectUris: readonly string[]) => {
      const { metadata } = parseRegistration(
        { redirect_uris: redirectUris, jwks, token_endpoint_auth_method: 'private_key_jwt' },
        RULES,
      );
      return findClientProblems(pickMetadata({ ...metadata, name: 'Shop', trusted: false }), LIMITS);
    };
    expect(register(keys(20), uris(20))).toEqual([]);
    expect(findClientProblems(complete({ jwks: keys(20), redirectUris: uris(20) }), LIMITS)).toEqual([]);
    expect(() => register(keys(21), uris(1))).toThrow(/21 keys/);
    expect(findClientProblems(complete({ jwks: keys(21) }), LIMITS)).toMatchObject([{ field: 'jwks' }]);
    expect(register(keys(1), uris(21))).toMatchObject([{ field: 'redirectUris' }]);
    expect(findClientProblems(complete({ redirectUris: uris(21) }), LIMITS)).toMatchObject([
      { field: 'redirectUris' },
    ]);
  });

  it('the keys of a client with a secret are checked as well', () => {
    const request = { redirect_uris: SHOP.redirectUris, jwks: { keys: [{ ...KEY, d: 'private' }] } };
    expect(() => parseRegistration(request, RULES)).toThrow(/private or secret key/);
  });
});

describe('the registry', () => {
  it.each([
    [{ redirectURIs: [] }, /clients\.create: .*'redirectURIs'.*did you mean 'redirectUris'/],
    [{ grant_types: [] }, /did you mean 'grantTypes'/],
    [{ client_id: 'shop' }, /did you mean 'clientId'/],
    [{ selfRegistered: true }, /'selfRegistered'/],
  ])('clients.create refuses %j', async (given, message) => {
    await expect(openRegistry().create({ ...SHOP, ...given })).rejects.toThrow(message);
  });

  it.each(['clientId', 'clientSecret'])('clients.create refuses a %s that is not text', async (name) => {
    for (const wrong of [null, 0, 12345678, {}, Symbol('x')])
      await expect(openRegistry().create({ ...SHOP, [name]: wrong })).rejects.toMatchObject({
        error: 'invalid_client_metadata',
        message: `${name} must be text`,
      });
  });

  it.each<[object, string, string]>([
    [{ type: 'spa' }, 'type', 'type must be confidential or public, not spa.'],
    [{ type: null }, 'type', 'type must be confidential or public'],
    [{ scopes: null }, 'scopes', 'scopes must be a list of text'],
    [{ grantTypes: ['code'] }, 'grantTypes', 'The grant type code is not on.'],
    [{ grantTypes: ['code'], redirectUris: [] }, 'grantTypes', 'The grant type code is not on.'],
    [{ grantTypes: ['authorization_code', 'foo'] }, 'grantTypes', 'The grant type foo is not on.'],
  ])('clients.create names the wrong member of %j, and the value', async (given, field, message) => {
    await expect(openRegistry().create({ ...SHOP, ...given })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
      message,
    });
    expect(findClientProblems(complete(given), LIMITS)[0]).toMatchObject({ field, problem: message });
  });

  it('clients.create takes null for an optional field as left out', async () => {
    expect(await openRegistry().create({ ...SHOP, logoUri: null } as never)).not.toHaveProperty('logoUri');
  });

  it('clients.update refuses an unknown field', async () => {
    const registry = openRegistry();
    const { clientId } = await registry.create(SHOP);
    await expect(registry.update(clientId, { redirectUri: [] } as never)).rejects.toThrow(
      /clients\.update: .*did you mean 'redirectUris'/,
    );
    await expect(registry.update(clientId, { clientId: 'other' } as never)).rejects.toThrow(/'clientId'/);
  });

  it('clients.update removes a field that is undefined, unless it is required', async () => {
    const registry = openRegistry();
    const logoUri = 'https://shop.example/logo.png';
    const { clientId } = await registry.create({ ...SHOP, logoUri, verified: true });
    expect(await registry.update(clientId, { logoUri: undefined })).not.toHaveProperty('logoUri');
    expect(await registry.find(clientId)).toMatchObject({ verified: true });
    await expect(registry.update(clientId, { scopes: undefined })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
      message: 'scopes must be a list of text',
    });
  });

  it('clients.create sets defaults for missing fields', async () => {
    expect(await openRegistry().create(SHOP)).toMatchObject({
      type: 'confidential',
      scopes: ['photos:read'],
      grantTypes: ['authorization_code', 'refresh_token'],
      trusted: false,
    });
    expect(await openRegistry().create({ ...SHOP, clientSecret: '' })).toMatchObject({ type: 'public' });
    expect(await openRegistry().create({ ...SHOP, jwks: { keys: [KEY] } })).toMatchObject({
      tokenEndpointAuthMethod: 'private_key_jwt',
      secrets: [],
    });
  });
});

describe('a field of a feature', () => {
  const plan: ClientField = {
    name: 'plan',
    shape: textSchema,
    stored: { type: String },
    default: () => 'free',
    wire: { name: 'example_plan' },
    flag: { flags: '--plan <plan>', description: 'what it has paid for' },
    printed: { label: 'plan' },
  };
  const fields = [...CLIENT_FIELDS, plan];

  it('a client field of a feature is a field of the registry', async () => {
    const registry = openRegistry(fields);
    const { clientId, ...created } = await registry.create(SHOP);
    expect(created).toMatchObject({ plan: 'free' });
    expect(await registry.update(clientId, { plan: 'large' } as never)).toMatchObject({ plan: 'large' });
    await expect(registry.update(clientId, { plan: 7 } as never)).rejects.toThrow('plan must be text');
    await expect(registry.update(clientId, { plans: 'x' } as never)).rejects.toThrow(/did you mean 'plan'/);
  });

  it('a client field of a feature is a field of registrations and their answers', () => {
    const request = { redirect_uris: SHOP.redirectUris, example_plan: 'large' };
    const { metadata } = parseRegistration(request, { ...RULES, fields });
    expect(metadata).toMatchObject({ plan: 'large' });
    const client = { ...pickMetadata({ ...metadata, name: 'Shop', trusted: false }, fields) } as Client;
    expect(formatRegistration(client, { ...RULES, fields })).toMatchObject({ example_plan: 'large' });
    expect(() => parseRegistration({ ...request, example_plan: 7 }, { ...RULES, fields })).toThrow(
      'example_plan must be text',
    );
  });

  it('a client field of a feature is a flag of the command line, and a line of its output', () => {
    const command = withFlags(new Command('create'), 'create', fields);
    expect(command.helpInformation()).toContain('--plan <plan>');
    const options = command.parse(['--name', 'Shop', '--plan', 'large'], { from: 'user' }).opts();
    expect(readFlags(options, fields)).toEqual({ name: 'Shop', type: 'confidential', plan: 'large' });
    expect(printedFields(complete({ plan: 'large' }, fields), fields)).toMatchObject({ plan: 'large' });
  });

  it.each([
    ['requireSignedRequestObject=true', { requireSignedRequestObject: true }],
    ['defaultMaxAge=300', { defaultMaxAge: 300 }],
    ['defaultAcrValues=mfa,pwd', { defaultAcrValues: ['mfa', 'pwd'] }],
    ['requestUris=["https://shop.example/a,b"]', { requestUris: ['https://shop.example/a,b'] }],
    ['tlsClientAuthSubjectDn=CN=shop,O=Print', { tlsClientAuthSubjectDn: 'CN=shop,O=Print' }],
    ['subjectType=', { subjectType: undefined }],
    ['defaultMaxAge=soon', { defaultMaxAge: 'soon' }],
  ])('--set %s sets any client field', (pair, expected) => {
    const command = withFlags(new Command('create'), 'create', allClientFields(BUILT_IN));
    const options = command.parse(['--name', 'Shop', '--set', pair], { from: 'user' }).opts();
    expect(readFlags(options, allClientFields(BUILT_IN))).toStrictEqual({
      name: 'Shop',
      type: 'confidential',
      ...expected,
    });
  });

  it('--set with an unknown field suggests the right name', () => {
    const read = () => readFlags({ set: ['defaultMaxage=300'] }, allClientFields(BUILT_IN));
    expect(read).toThrow('--set defaultMaxage=300: write field=value');
  });
});
