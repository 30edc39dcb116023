import { arriveTwice, deny } from '../browser-commands.js';
import type {
  Certificate,
  HostContext,
  Plan,
  Profile,
  ProfileOptions,
  StaticClient,
  SuiteClient,
  SuiteMembers,
  Variant,
} from '../profile.js';
import { OPENID_SCOPES } from '../static-clients.js';

const NAMES = ['client', 'client2'] as const;
/** The scope of the host's route. */
export const RESOURCE_SCOPE = 'accounts';

/** The certifiable values for both profiles of FAPI 2.0: the first of each is the default. */
export const FAPI2_VARIANTS = {
  client_auth_type: ['private_key_jwt', 'mtls'],
  sender_constrain: ['dpop', 'mtls'],
  openid: ['plain_oauth', 'openid_connect'],
} as const;

export const isOpenid = ({ openid }: Variant): boolean => openid === 'openid_connect';
/** Whether the variant uses certificates. */
export const takesCertificates = ({ client_auth_type, sender_constrain }: Variant): boolean =>
  client_auth_type === 'mtls' || sender_constrain === 'mtls';

/** The options of FAPI 2.0 Security Profile, with its two ways to authenticate and to bind tokens. */
export function fapi2Options({ variant }: HostContext): ProfileOptions {
  return {
    profile: 'fapi2',
    dpop: variant.sender_constrain === 'dpop',
    mutualTls: takesCertificates(variant),
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    ...(!isOpenid(variant) && { openid: false as const }),
  };
}

/** The second client has a redirect URI with a query: the suite wants it back unchanged. */
export function fapi2Clients(
  { variant, suiteUrl, credentials }: HostContext,
  more: Partial<StaticClient> = {},
): StaticClient[] {
  return NAMES.map((name) => {
    const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...publicJwk } = credentials.keys[name];
    return {
      clientId: name,
      name: `Conformance suite (${name})`,
      redirectUris: [`${suiteUrl}/callback`, `${suiteUrl}/callback?dummy1=lorem&dummy2=ipsum`],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes: scopesOf(variant),
      jwks: { keys: [publicJwk as { kty: string }] },
      ...(variant.client_auth_type === 'mtls'
        ? { tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSubjectDn: `CN=${name}` }
        : { tokenEndpointAuthMethod: 'private_key_jwt' }),
      ...(variant.sender_constrain === 'mtls'
        ? { tlsClientCertificateBoundAccessTokens: true }
        : { dpopBoundAccessTokens: true }),
      ...more,
    };
  });
}

export function fapi2Configuration(context: HostContext): SuiteMembers {
  const { variant, issuer, credentials } = context;
  const describe = (name: (typeof NAMES)[number]): SuiteClient => ({
    client_id: name,
    scope: scopesOf(variant).join(' '),
    jwks: { keys: [credentials.keys[name]] },
    ...(variant.sender_constrain === 'dpop' && { dpop_signing_alg: 'ES256' }),
  });
  const certify = (certificate: Certificate) => ({
    ...certificate,
    ca: credentials.certificates.authority,
  });
  return {
    client: describe('client'),
    client2: describe('client2'),
    ...(takesCertificates(variant) && {
      mtls: certify(credentials.certificates.client),
      mtls2: certify(credentials.certificates.client2),
    }),
    resource: { resourceUrl: `${issuer}/resource` },
  };
}

/** These plans do not request `offline_access`. */
const scopesOf = (variant: Variant): string[] => [
  ...(isOpenid(variant) ? OPENID_SCOPES.filter((scope) => scope !== 'offline_access') : []),
  RESOURCE_SCOPE,
];

export const fapi2Plan = (name: string, variant: Variant): Plan => ({
  name,
  variant: { ...variant, fapi_profile: 'plain_fapi', authorization_request_type: 'simple' },
});

/** The modules in which the user does something else than to log in and to allow. */
export const fapi2Overrides: NonNullable<Profile['overrides']> = (context) => ({
  'fapi2-security-profile-final-user-rejects-authentication': deny(context),
  'fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds':
    arriveTwice(context),
});
