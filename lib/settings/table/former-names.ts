import { distanceOf, lettersOf } from './letters-of.js';

/** One wrong letter for each so many: `pkse` is no old name, `accesTokenTtl` is one. */
const LETTERS_PER_TYPO = 8;

/**
 * Names that options once had, and what to write now: the path of the option, or a sentence with a space in it. `*` is
 * each member, such as each of the `resources`.
 */
export const FORMER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  authorizationServer: {
    requirePkce: "security: { pkce: 'all' } in the place of requirePkce: true; leave requirePkce: false out",
    authorizationCodeTtl: 'lifetimes.authorizationCode',
    accessTokenTtl: 'lifetimes.accessToken',
    refreshTokenTtl: 'lifetimes.refreshToken',
    refreshTokenMaxTtl: 'lifetimes.refreshTokenMax',
    deviceCodeTtl: 'lifetimes.deviceCode',
    idTokenTtl: 'lifetimes.idToken',
    'openid.idTokenTtl': 'lifetimes.idToken',
    accessTokenFormat: 'tokens.accessTokenFormat',
    accessTokenClaims: 'tokens.accessTokenClaims',
    additionalTokenParameters: 'tokens.responseParameters',
    reuseGrace: 'tokens.reuseGrace',
    migratedTokens: 'tokens.migrated',
    userId: 'people.id',
    userName: 'people.name',
    userDetail: 'people.detail',
    userLanguage: 'people.language',
    findUser: 'people.find',
    isLoggedIn: 'people.isLoggedIn',
    authenticateUser: 'people.authenticate',
    views: 'pages.views',
    layout: 'pages.layout',
    reservedNames: 'pages.reservedNames',
    linkToUnverifiedClients: 'pages.linkToUnverifiedClients',
    onReport: 'pages.onReport',
    'applications.findPerson': 'applications.findUser',
    isDeveloper: 'applications.isDeveloper',
    isAdministrator: 'applications.isAdministrator',
    clientAssertions: 'clientAuthentication.assertions',
    clientKeys: 'clientAuthentication.keys',
    clientSecretKey: 'clientAuthentication.secretKey',
    secretOverlap: 'clientAuthentication.secretOverlap',
    pkce: 'security.pkce',
    clockTolerance: 'security.clockTolerance',
    privateSchemes: 'security.privateSchemes',
    rateLimits: 'security.rateLimits',
    requireResource: 'security.requireResource',
    dangerouslyAllowInsecureHttp: 'security.dangerouslyAllowInsecureHttp',
    guardMemory: 'guard.cache',
    bearerMethods: 'guard.bearerMethods',
    recheck: 'guard.recheck',
    paths: 'advanced.paths',
    databaseTimeout: 'advanced.databaseTimeout',
    clientCacheTtl: 'advanced.clientCacheTtl',
    resumeAfterLogin: 'advanced.resumeAfterLogin',
    rootAliases: 'advanced.rootAliases',
    'resources.*.tokenFormat': 'accessTokenFormat',
  },
  bearerGuard: {
    findUser: 'people.find',
    clockTolerance: 'security.clockTolerance',
    dangerouslyAllowInsecureHttp: 'security.dangerouslyAllowInsecureHttp',
    cacheTtl: 'cache.maxAge',
    cacheSize: 'cache.size',
    dpopNonceSecret: 'dpop.nonceSecret',
  },
  guard: { others: 'onForeignToken', person: 'requireUser' },
  upgrade: { person: 'requireUser' },
  verify: { person: 'requireUser' },
  mcp: { person: 'requireUser' },
  localLogin: {
    views: 'pages.views',
    layout: 'pages.layout',
    userDetail: 'people.detail',
    dangerouslyAllowInsecureHttp: 'security.dangerouslyAllowInsecureHttp',
  },
};

/** The first old name that the site uses, as a path, and what to write now. */
export function findFormerName(
  functionName: string,
  given: object,
): { readonly path: string; readonly now: string } | undefined {
  const found = Object.entries(FORMER_NAMES[functionName] ?? {}).flatMap(([former, now]) =>
    pathsOf(given, former.split('.')).map((path) => ({ path, now: exampleOf(now) })),
  );
  return found[0];
}

/**
 * What to write in the place of a name that nearly is an old one (`accessTokenTTL`), or stands one level too deep; and
 * how many letters are wrong.
 */
export function findNowOfNear(
  functionName: string,
  unknown: string,
): { readonly now: string; readonly distance: number } | undefined {
  const max = Math.floor(lettersOf(unknown).length / LETTERS_PER_TYPO);
  const [near] = Object.entries(FORMER_NAMES[functionName] ?? {})
    .map(([former, now]) => ({ now, distance: distanceOf(former, unknown) }))
    .filter(({ distance }) => distance <= max)
    .sort((a, b) => a.distance - b.distance);
  return near && { ...near, now: exampleOf(near.now) };
}

/** The paths at which the options have something of this name. */
function pathsOf(given: unknown, [name = '', ...members]: readonly string[]): readonly string[] {
  if (typeof given !== 'object' || given === null) return [];
  const owned = Object.entries(given).filter(
    ([own, value]) => value !== undefined && [own, '*'].includes(name),
  );
  return owned.flatMap(([own, value]) =>
    members.length === 0 ? [own] : pathsOf(value, members).map((path) => `${own}.${path}`),
  );
}

/** `lifetimes: { accessToken: … }` */
function exampleOf(now: string): string {
  if (now.includes(' ')) return now;
  return now
    .split('.')
    .reduceRight((inner, name) => (inner === '…' ? `${name}: …` : `${name}: { ${inner} }`), '…');
}
