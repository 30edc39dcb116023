import * as z from '../../shared/schema.js';
import { defaultsOf, group, objectOf, option, type OptionsOf } from '../table/option.js';
import { secretText } from '../table/secret.js';
import { flag, listOf, oneOf, seconds } from '../table/shapes.js';

const DAY = 86_400;

const clientAssertionOptions = {
  /**
   * What `aud` may be: the issuer, or the token endpoint's URL as well (`issuer_or_token_endpoint`), for old clients.
   * With the latter, another server can trick a client into making an assertion for this one. Default: `issuer`.
   */
  audience: option({ shape: () => oneOf(['issuer', 'issuer_or_token_endpoint']), default: 'issuer' }),
  /** Seconds that `exp` may lie ahead. Default: `600`. */
  maxTtl: option({
    shape: () => seconds({ max: DAY, because: ': the id of each assertion is kept as long', example: 600 }),
    default: 600,
  }),
};

/** Requirements on the JWTs with which clients authenticate. */
export type ClientAssertionOptions = OptionsOf<typeof clientAssertionOptions>;

const SECRET_KEY =
  'at least 32 random characters, or a list of such texts of which the first encrypts; `openssl rand -base64 32` prints some';
const secretKey = () => secretText(SECRET_KEY);

export const clientAuthenticationRows = {
  /** What is demanded of the JWTs with which clients authenticate. (RFC 7523 §3) */
  assertions: option({
    shape: () => objectOf(clientAssertionOptions, 'an object, such as { maxTtl: 600 }'),
    default: defaultsOf(clientAssertionOptions),
  }),
  /**
   * Allows a `jwksUri`, a `logoUri` and other addresses of clients in the server's network, and `http:` on
   * loopback; clients that nobody of the site has checked get only loopback, and only if the issuer is on loopback.
   * Default: `false`.
   */
  allowPrivateAddresses: option({ shape: flag, default: false }),
  /**
   * At least 32 random characters that encrypt the secrets of client_secret_jwt. Of several, the first encrypts and
   * each decrypts. Default: none, and no client_secret_jwt.
   */
  secretKey: option({
    shape: () => z.union([secretKey(), listOf(secretKey(), SECRET_KEY, { isNeeded: true })], SECRET_KEY),
    secret: true,
    resolve: (keys): readonly string[] => [keys ?? []].flat(),
  }),
};

/** How clients authenticate. */
export type ClientAuthenticationOptions = OptionsOf<typeof clientAuthenticationRows>;

/** Client authentication. */
export const clientAuthenticationOptions = {
  /** How clients authenticate: `{ assertions: { maxTtl: 300 } }`. */
  clientAuthentication: group(clientAuthenticationRows, '{ assertions: { maxTtl: 300 } }'),
};
