import { ACCESS_TOKEN_TTL, photosOf, REDIRECT_URI, SCOPE, USER_ID } from './setup.js';

/** Answers of the same sizes as ours. */
const OPAQUE = `eas_at_${'a'.repeat(65)}`;
const JWT = `${'h'.repeat(103)}.${'p'.repeat(340)}.${'s'.repeat(86)}`;

export const CONSTANT = {
  client: { id: 'c'.repeat(22), secret: 's'.repeat(50) },
  redirect: `${REDIRECT_URI}?code=eas_ac_${'c'.repeat(65)}&state=of-the-benchmark&iss=http%3A%2F%2F127.0.0.1%3A40000`,
  api: photosOf(USER_ID),
  introspection: {
    active: true,
    scope: SCOPE,
    client_id: 'c'.repeat(22),
    sub: USER_ID,
    exp: 1_900_000_000,
    token_type: 'Bearer',
    aud: 'http://127.0.0.1:40000',
    iss: 'http://127.0.0.1:40000',
  },
} as const;

/** By the body of the token request. */
export function constantTokens(grantType: unknown, isJwt: boolean): object {
  const withRefreshToken = grantType !== 'client_credentials';
  return {
    access_token: isJwt ? JWT : OPAQUE,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_TTL,
    ...(withRefreshToken && { refresh_token: `eas_rt_${'r'.repeat(65)}` }),
    scope: SCOPE,
  };
}

export const CONSTANT_DESCRIPTION = {
  workloads: [
    'client_credentials',
    'client_credentials-jwt',
    'client_credentials-stateless',
    'guard',
    'guard-jwt',
    'guard-jwt-revocable',
    'guard-remembered',
    'authorize',
    'code',
    'refresh',
    'introspect',
    'flow',
  ],
  paths: {
    token: '/oauth/token',
    authorize: '/oauth/authorize',
    introspect: '/oauth/introspect',
    api: '/api/photos',
    jwtApi: '/api/photos',
    revocableJwtApi: '/api/photos',
    cachedApi: '/api/photos',
  },
  client: CONSTANT.client,
  jwtParameters: { resource: 'https://api.photos.example' },
  statelessParameters: { resource: 'https://api.photos.example' },
  isConstant: true,
} as const;
