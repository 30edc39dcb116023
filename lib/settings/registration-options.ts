import { z } from 'zod';

/** Claims of a software statement that the host has verified: client metadata by their names in RFC 7591 §2. */
export type SoftwareStatementClaims = Readonly<Record<string, unknown>>;

/** How clients may register themselves (RFC 7591, RFC 7592). */
export interface RegistrationOptions {
  /**
   * Whether anybody may register a client. Default: false, an initial access token is needed, which
   * `oauth.registration.createInitialAccessToken` makes.
   */
  readonly open?: boolean;
  /** How many clients that registered themselves there can be at a time. Default: 1000. */
  readonly maxClients?: number;
  /** Seconds after which a client is removed if nobody has used it, not once. Default: 86400 (a day). */
  readonly unusedTtl?: number;
  /**
   * The grant types such a client can have. Default: authorization_code and refresh_token, as far as they are on:
   * with `client_credentials` whoever registers gets access without asking a person.
   */
  readonly grantTypes?: readonly string[];
  /** The scopes such a client can have. Default: all. */
  readonly scopes?: readonly string[];
  /**
   * Verifies a software statement (its signature, that its issuer is one you trust, its life) and gives its claims,
   * which win over what the request says; null refuses it. Default: every request with one is refused. (RFC 7591 §2.3)
   */
  readonly verifySoftwareStatement?: (
    statement: string,
  ) => SoftwareStatementClaims | null | Promise<SoftwareStatementClaims | null>;
}

/** The options with their defaults. */
export interface RegistrationSettings extends Required<Omit<RegistrationOptions, 'verifySoftwareStatement'>> {
  readonly verifySoftwareStatement: RegistrationOptions['verifySoftwareStatement'];
}

const DAY = 86_400;
const USUAL_GRANT_TYPES = ['authorization_code', 'refresh_token'];

export const registrationShape = z
  .union(
    [
      z.literal(false),
      z.strictObject({
        open: z.boolean('must be true or false').optional(),
        maxClients: z.number('must be a number').int().positive().optional(),
        unusedTtl: z.number('must be a number of seconds').int().positive().optional(),
        grantTypes: z.array(z.string()).optional(),
        scopes: z.array(z.string()).optional(),
        verifySoftwareStatement: z
          .custom<never>((value) => typeof value === 'function', 'must be a function')
          .optional(),
      }),
    ],
    'must be false or an object of open, maxClients, unusedTtl, grantTypes, scopes, verifySoftwareStatement: { open: true } lets anybody register, {} those with an initial access token',
  )
  .optional();

/**
 * Fills in the defaults; false where no client can register itself.
 *
 * @throws TypeError where a grant type or scope is not one of the server
 */
export function resolveRegistration(
  options: RegistrationOptions | false | undefined,
  server: { readonly grantTypes: readonly string[]; readonly scopes: readonly string[] },
): RegistrationSettings | false {
  if (options === undefined || options === false) return false;
  const { open = false, maxClients = 1000, unusedTtl = DAY, verifySoftwareStatement } = options;
  const grantTypes =
    options.grantTypes ?? USUAL_GRANT_TYPES.filter((grantType) => server.grantTypes.includes(grantType));
  const scopes = options.scopes ?? server.scopes;
  checkAmong('grantTypes', grantTypes, server.grantTypes);
  checkAmong('scopes', scopes, server.scopes);
  return { open, maxClients, unusedTtl, grantTypes, scopes, verifySoftwareStatement };
}

function checkAmong(
  option: 'grantTypes' | 'scopes',
  given: readonly string[],
  known: readonly string[],
): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(
      `authorizationServer: the option registration.${option}: '${unknown}' is not among ${option} of the server: ${known.join(', ')}`,
    );
}
