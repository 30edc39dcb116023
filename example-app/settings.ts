/** An error that the user of the example can fix; printed without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The environment of the example's processes. */
export interface Settings {
  readonly port: number;
  readonly shopPort: number;
  readonly albumPort: number;
  /** The port for clients with certificates; used only with `tlsFolder`. */
  readonly mtlsPort: number;
  /** The certificates of a photo site that ends TLS itself; otherwise undefined. */
  readonly tlsFolder: string | undefined;
  readonly issuer: string;
  readonly mtlsUrl: string;
  readonly shopUrl: string;
  readonly albumUrl: string;
  /** The stand-in issuers of `npm run example:callers`: a CI platform, and a company's identity provider. */
  readonly platformUrl: string;
  /** The resources of the other resource servers (RFC 8707). */
  readonly resources: ResourceUrls;
  /** Undefined if the example starts its own MongoDB. */
  readonly mongodbUri: string | undefined;
  /** Undefined if the example generates one in the data folder. */
  readonly sessionSecret: string | undefined;
  /** Encrypts the keys of JWTs in the database; generated in the same way. */
  readonly keySecret: string | undefined;
  readonly rateLimits: boolean;
  /** Cost of bcrypt for passwords; tests use a low one. */
  readonly passwordRounds: number;
  /** Seconds that an access token is valid; set it to a few to watch the shop refresh its tokens. */
  readonly accessTokenTtl: number;
}

export interface ResourceUrls {
  readonly albums: string;
  readonly orders: string;
  readonly mcp: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws StartError with the variable and what to write instead */
export function readSettings(environment: Environment): Settings {
  const port = parsePort('PORT', environment.PORT || '3000');
  const shopPort = parsePort('SHOP_PORT', environment.SHOP_PORT || String(port + 1));
  const albumPort = parsePort('ALBUM_PORT', environment.ALBUM_PORT || String(port + 2));
  const mtlsPort = parsePort('MTLS_PORT', environment.MTLS_PORT || String(port + 3));
  const platformPort = parsePort('PLATFORM_PORT', environment.PLATFORM_PORT || String(port + 4));
  const tlsFolder = environment.TLS_FOLDER || undefined;
  const issuer = parseIssuer(
    environment.ISSUER || `${tlsFolder === undefined ? 'http' : 'https'}://localhost:${port}`,
  );
  const albumUrl = `http://localhost:${albumPort}`;
  checkDistinct({
    PORT: port,
    SHOP_PORT: shopPort,
    ALBUM_PORT: albumPort,
    ...(tlsFolder !== undefined && { MTLS_PORT: mtlsPort }),
  });
  return {
    port,
    shopPort,
    albumPort,
    mtlsPort,
    tlsFolder,
    issuer,
    mtlsUrl: `https://localhost:${mtlsPort}`,
    shopUrl: `http://localhost:${shopPort}`,
    albumUrl,
    platformUrl: `http://localhost:${platformPort}`,
    resources: { albums: albumUrl, orders: `${albumUrl}/orders`, mcp: `${issuer}/mcp` },
    mongodbUri: environment.MONGODB_URI || undefined,
    sessionSecret: environment.SESSION_SECRET || undefined,
    keySecret: environment.KEY_SECRET || undefined,
    rateLimits: environment.RATE_LIMITS !== 'off',
    passwordRounds: parseNumber('PASSWORD_ROUNDS', environment.PASSWORD_ROUNDS || '12', {
      meaning: 'a number from 4 to 20, such as PASSWORD_ROUNDS=12',
      lowest: 4,
      highest: 20,
    }),
    accessTokenTtl: parseNumber('ACCESS_TOKEN_TTL', environment.ACCESS_TOKEN_TTL || '3600', {
      meaning: 'a number of seconds, such as ACCESS_TOKEN_TTL=60',
    }),
  };
}

export function isHttps({ issuer }: Pick<Settings, 'issuer'>): boolean {
  return issuer.startsWith('https:');
}

/** Whether a proxy ends TLS, and reports it. */
export function hasTlsProxy(settings: Pick<Settings, 'issuer' | 'tlsFolder'>): boolean {
  return isHttps(settings) && settings.tlsFolder === undefined;
}

/** Only this machine can reach the example, unless its public URL says otherwise. */
export function isLocal({ issuer }: Pick<Settings, 'issuer'>): boolean {
  return isLoopback(new URL(issuer));
}

function checkDistinct(ports: Readonly<Record<string, number>>): void {
  for (const [name, port] of Object.entries(ports)) {
    const other = Object.keys(ports).find((candidate) => candidate !== name && ports[candidate] === port);
    if (other !== undefined)
      throw new StartError(
        `${name} and ${other} are both ${port}: each of the sites needs a port of its own.`,
      );
  }
}

function parsePort(name: string, value: string): number {
  return parseNumber(name, value, {
    meaning: 'a port from 1 to 65535, such as PORT=4000',
    highest: 65_535,
  });
}

interface PossibleNumbers {
  readonly meaning: string;
  readonly lowest?: number;
  readonly highest?: number;
}

function parseNumber(
  name: string,
  value: string,
  { meaning, lowest = 1, highest = 86_400 }: PossibleNumbers,
): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= lowest && number <= highest) return number;
  throw new StartError(`${name}=${value} is not possible: write ${meaning}.`);
}

function parseIssuer(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || value !== url.origin) {
    throw new StartError(
      `ISSUER=${value} is not the public URL of a site: write it without path and slash at the end, such as ISSUER=https://photos.example.`,
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new StartError(
      `ISSUER=${value} would send tokens without TLS: write ISSUER=https://${url.host}, with a TLS proxy in front of the example.`,
    );
  return value;
}

function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
