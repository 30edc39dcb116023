import ejs from 'ejs';

import type { PublicJwk } from '../../core/clients/client.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { aliasOf, urlOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { createSecret } from '../../shared/crypto/secrets.js';
import { lazy } from '../../shared/lazy.js';
import { challengeOf } from '../../shared/protocol/pkce.js';
import { PACKAGED_VIEWS } from '../rendering/packaged-views.js';
import type { Translator } from '../rendering/translator.js';

/** Where the server is, for a client of it. */
export function serverAddresses(settings: Settings) {
  const token = urlOf(settings, 'token');
  return {
    issuer: settings.issuer,
    authorization: urlOf(settings, 'authorize'),
    token,
    /** The token endpoint for clients with a certificate (RFC 8705 §5). Undefined: the same. */
    tokenWithCertificate: aliasOf(settings, token),
  };
}
type ServerAddresses = ReturnType<typeof serverAddresses>;

interface Subject {
  readonly client: ClientInfo;
  readonly endpoints: ServerAddresses;
  readonly grantType: 'authorization_code' | 'client_credentials';
  /** That of a request that was made elsewhere. Default: the code makes its own. */
  readonly verifier?: string;
}

/** Programs that get access, with what `<%= %>` makes of a value in their language. */
const PROGRAMS = {
  // one word of a shell, whatever is in it
  curl: program('curl', 'curl', (value) => `'${String(value).replaceAll("'", `'\\''`)}'`),
  'openid-client': program('openid-client', 'openid-client (Node.js)', JSON.stringify),
  'simple-oauth2': program('simple-oauth2', 'simple-oauth2 (Node.js)', JSON.stringify),
};

function program(name: string, title: string, escape: (value: unknown) => string) {
  const view = PACKAGED_VIEWS.get(`snippets/${name}.ejs`) ?? '';
  return { title, template: lazy(() => ejs.compile(view, { escape })) };
}

/** How a client authenticates, as far as it makes a difference to its code. */
const WAYS: Readonly<Record<string, string>> = {
  none: 'none',
  client_secret_basic: 'client_secret_basic',
  client_secret_post: 'client_secret_post',
  client_secret_jwt: 'client_secret_jwt',
  // RFC 8705 §2
  tls_client_auth: 'certificate',
  self_signed_tls_client_auth: 'certificate',
  // OAuth SPIFFE Client Authentication (draft 02) §3.1: the platform of the program gives it what it sends
  spiffe_jwt: 'svid',
};

/** A client with keys is registered for a method by name, so another one has a secret. */
function methodOf({ type, tokenEndpointAuthMethod = 'client_secret_basic' }: ClientInfo): string {
  return type === 'public' ? 'none' : tokenEndpointAuthMethod;
}

/** Code to copy, with the values of one application; a secret is never in it, but in the environment it runs in. */
function writeSnippet(
  program: keyof typeof PROGRAMS,
  { client, endpoints, grantType, verifier }: Subject,
  { text }: Translator,
): string {
  const { clientId, redirectUris, jwks } = client;
  const method = methodOf(client);
  const way = WAYS[method] ?? 'key';
  const isCurl = program === 'curl';
  // one line, whatever a site has made of the text
  const comment = (key: Parameters<typeof text>[0]) => text(key).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  const isAsserting = method === 'private_key_jwt' || (isCurl && method === 'client_secret_jwt');
  const note = isAsserting
    ? isCurl
      ? 'snippet.assertion'
      : 'snippet.key'
    : way === 'certificate'
      ? 'snippet.certificate'
      : way === 'svid'
        ? 'snippet.svid'
        : 'snippet.secret';
  const scope = client.scopes.join(' ');
  const [redirectUri = ''] = redirectUris;
  const { token, tokenWithCertificate = token } = endpoints;
  const { kid, alg, kty = '' }: Partial<PublicJwk> = jwks?.keys[0] ?? {};
  const data = {
    comment,
    note: way === 'none' ? undefined : comment(note),
    way,
    clientId,
    endpoints,
    tokenAddress: way === 'certificate' ? tokenWithCertificate : token,
    grantType,
    scope,
    redirectUri,
    query: authorizationQuery(clientId, redirectUri, scope),
    verifier,
    // the algorithm and the id of the first key, as far as they are known here
    key: {
      kid: typeof kid === 'string' ? kid : undefined,
      alg: typeof alg === 'string' ? alg : ({ RSA: 'RS256', OKP: 'EdDSA' }[kty] ?? 'ES256'),
    },
  };
  return PROGRAMS[program].template()(data).trimEnd();
}

function authorizationQuery(clientId: string, redirectUri: string, scope: string): URLSearchParams {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
  });
  if (scope !== '') query.set('scope', scope);
  return query;
}

/** For each way of getting access that needs explaining: curl, and the client libraries that can do it. */
export function snippetsOf(client: ClientInfo, endpoints: ServerAddresses, translator: Translator) {
  const hasSimpleOAuth2 = ['none', 'client_secret_basic', 'client_secret_post'].includes(methodOf(client));
  const programs = (Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]).filter(
    (program) => program !== 'simple-oauth2' || hasSimpleOAuth2,
  );
  return (['authorization_code', 'client_credentials'] as const)
    .filter((grantType) => client.grantTypes.includes(grantType))
    .map((grantType) => ({
      title: translator.text(`grantType.${grantType}`),
      snippets: programs.map((program) => ({
        id: `snippet-${grantType}-${program}`,
        title: PROGRAMS[program].title,
        code: writeSnippet(program, { client, endpoints, grantType }, translator),
      })),
    }));
}

/**
 * A request for authorization that a developer makes in place of their application; undefined for an application that
 * asks nobody. The request has its own challenge, whose verifier is only on the developer's page: nobody else can
 * redeem the code, not even the running application, for which it would be somebody else's answer (RFC 9700 §4.7).
 */
export function trialOf(
  client: ClientInfo,
  endpoints: ServerAddresses,
  codeTtl: number,
  translator: Translator,
) {
  const { clientId, scopes, grantTypes } = client;
  const [redirectUri] = client.redirectUris;
  if (redirectUri === undefined || !grantTypes.includes('authorization_code')) return undefined;
  const verifier = createSecret();
  const query = authorizationQuery(clientId, redirectUri, scopes.join(' '));
  query.set('state', createSecret());
  query.set('code_challenge', challengeOf(verifier));
  query.set('code_challenge_method', 'S256');
  // even if the developer has allowed it before: this page is what they want to see
  query.set('prompt', 'consent');
  return {
    address: `${endpoints.authorization}?${query.toString()}`,
    redirectUri,
    /** Gets tokens for the code of this one request (RFC 7636 §4.5). */
    snippet: writeSnippet(
      'curl',
      { client, endpoints, grantType: 'authorization_code', verifier },
      translator,
    ),
    /** How long there is for that. */
    span: translator.span(codeTtl),
  };
}
