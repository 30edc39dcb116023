import { describe, expect } from '@jest/globals';
import fc from 'fast-check';

import { findClientProblems } from '../../lib/core/clients/client-metadata.js';
import { parseRegistration, type RegistrationRules } from '../../lib/core/clients/wire-metadata.js';
import { BUILT_IN } from '../../lib/features.js';
import { formatRegistration } from '../../lib/features/registration/format-registration.js';
import { accepted, almost, anyText, holds } from '../support/properties.js';

const RULES: RegistrationRules = {
  grantTypes: ['authorization_code', 'refresh_token'],
  scopes: ['photos:read', 'profile'],
  defaultScopes: ['profile'],
  responseTypes: [{ responseType: 'code', grantType: 'authorization_code' }],
  tokenEndpointAuthMethods: ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'],
  methods: BUILT_IN.clientAuthenticationMethods,
};
const LIMITS = {
  scopes: RULES.scopes,
  grantTypes: RULES.grantTypes,
  tokenEndpointAuthMethods: RULES.tokenEndpointAuthMethods,
  methods: RULES.methods,
};

const uri = fc.oneof(
  anyText(),
  almost('https://app.example/callback'),
  fc.constant('https://app.example/callback'),
);
const list = (values: fc.Arbitrary<string>) => fc.array(values, { maxLength: 4 });
const orAnything = <Value>(values: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 6, arbitrary: values }, { weight: 1, arbitrary: fc.jsonValue() });
/** As in RFC 7591 §2, with wrong values among right ones, and names that only the host may set. */
const metadata = fc.record(
  {
    redirect_uris: orAnything(list(uri)),
    client_name: orAnything(fc.oneof(anyText(), fc.constant('Shop'))),
    client_uri: orAnything(uri),
    logo_uri: orAnything(uri),
    tos_uri: orAnything(uri),
    scope: orAnything(fc.oneof(anyText(), fc.constantFrom('profile', 'photos:read profile', 'admin'))),
    grant_types: orAnything(
      list(fc.oneof(anyText(), fc.constantFrom('authorization_code', 'refresh_token', 'client_credentials'))),
    ),
    response_types: orAnything(list(fc.constantFrom('code', 'token', ''))),
    token_endpoint_auth_method: orAnything(
      fc.constantFrom(...RULES.tokenEndpointAuthMethods, 'client_secret_jwt', ''),
    ),
    jwks: orAnything(fc.record({ keys: fc.array(fc.jsonValue(), { maxLength: 2 }) })),
    jwks_uri: orAnything(uri),
    contacts: orAnything(list(anyText())),
    trusted: fc.constant(true),
    introspection: fc.constant(true),
    owner_id: fc.constant('ada'),
    __proto__: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

describe('client metadata (RFC 7591 §2)', () => {
  holds(
    'client metadata are refused as such, or registered within the limits of the server',
    [fc.oneof(metadata, fc.dictionary(anyText(), fc.jsonValue()))],
    (sent) => {
      const parsed = accepted(() => parseRegistration(sent, RULES));
      if (parsed === undefined) return;
      const { scopes, grantTypes, tokenEndpointAuthMethod } = parsed.metadata;
      for (const scope of scopes) expect(RULES.scopes).toContain(scope);
      for (const grantType of grantTypes) expect(RULES.grantTypes).toContain(grantType);
      expect(RULES.tokenEndpointAuthMethods).toContain(tokenEndpointAuthMethod);
      // RFC 7591 §5: clients cannot set what only the host can
      for (const name of ['trusted', 'introspection', 'ownerId'])
        expect(parsed.metadata).not.toHaveProperty(name);
    },
  );

  holds('registered metadata are answered as stored, and accepted again as answered', [metadata], (sent) => {
    const parsed = accepted(() => parseRegistration(sent, RULES));
    if (parsed === undefined) return;
    const client = { name: 'Shop', trusted: false, ...parsed.metadata };
    if (findClientProblems(client, LIMITS).length > 0) return;
    const reported = formatRegistration(
      { ...client, registration: { details: parsed.details } } as never,
      RULES,
    );
    const again = parseRegistration(reported, RULES);
    expect(again.metadata).toEqual({ ...parsed.metadata, name: client.name });
    expect(again.details).toEqual(parsed.details);
  });
});
