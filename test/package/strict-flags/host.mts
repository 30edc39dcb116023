import type { Request } from 'express';
import {
  authorizationServer,
  createUsers,
  localLogin,
  type AuthorizationServerOptions,
  type Client,
} from 'express-authorization-server';
import { bearerGuard } from 'express-authorization-server/guard';
import { actingAs } from 'express-authorization-server/testing';
import mongoose from 'mongoose';
import { Passport } from 'passport';

// what a site reads of its environment may not be there: `undefined` is the same as left out
const { SITE_NAME, COOKIE } = process.env;
const maybe = <Value,>(value: Value): Value | undefined => (SITE_NAME === '' ? undefined : value);

const options: AuthorizationServerOptions = {
  issuer: 'https://photos.example',
  connection: mongoose.connection,
  scopes: {
    'photos:read': { description: 'See your photos', optional: maybe(true), group: maybe('Photos') },
  },
  login: '/login',
  siteName: SITE_NAME,
  grantTypes: maybe(['authorization_code'] as const),
  lifetimes: maybe({ accessToken: maybe(60), refreshTokenMax: maybe(86_400) }),
  tokens: { accessTokenFormat: maybe('jwt' as const), reuseGrace: maybe(10) },
  people: {
    id: maybe((user: Express.User) => (user as { id: string }).id),
    find: maybe((id: string) => ({ id })),
  },
  pages: { logo: COOKIE, colors: { accent: COOKIE }, reservedNames: maybe(['Photos']) },
  clientAuthentication: { allowPrivateAddresses: maybe(false) },
  security: {
    privateSchemes: maybe(['myapp']),
    clockTolerance: maybe(10),
    rateLimits: { token: maybe(60) },
  },
  guard: { cache: maybe(true), recheck: maybe(5) },
  advanced: { databaseTimeout: maybe(5000), paths: maybe({ token: '/token' }) },
  openid: { claims: () => Promise.resolve({ name: COOKIE }), algorithms: maybe(['ES256'] as const) },
  registration: { open: maybe(true) },
  applications: {
    scopes: maybe(['photos:read']),
    isAdministrator: maybe((req: Request) => req.user !== undefined),
  },
  dpop: maybe(true),
  signingKeys: { encryptionSecret: maybe('a secret of 32 characters at least') },
};
export const oauth = authorizationServer(options);

const users = createUsers(mongoose.connection, { rounds: maybe(12) });
localLogin({ passport: new Passport() as never, users });
bearerGuard({
  issuer: 'https://photos.example',
  resource: maybe('https://api.example'),
  clientId: SITE_NAME,
  dpop: { required: maybe(true) },
  cacheMaxAge: maybe(30),
  people: { find: maybe((id: string) => ({ id })) },
  clockTolerance: maybe(10),
});
oauth.guard({ scopes: maybe(['photos:read']), optional: maybe(true) });

/** An update takes an optional field away by `undefined` and by `null`. */
export async function clear(clientId: string): Promise<Client | null> {
  await oauth.clients.create({
    name: 'Shop',
    redirectUris: maybe(['https://shop.example/cb']),
    clientId: SITE_NAME,
  });
  await oauth.clients.update(clientId, { description: undefined, accessTokenTtl: null, refreshTokens: null });
  await oauth.grants.revoke({ userId: 'ada' });
  await oauth.grants.create({ clientId, userId: maybe('ada'), scopes: maybe(['photos:read']) });
  await actingAs(oauth, 'ada', ['photos:read']);
  return oauth.clients.find(clientId);
}
