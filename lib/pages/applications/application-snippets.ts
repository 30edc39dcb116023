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

/** Programs for code examples, each with the escaping of `<%= %>` in its language. */
const PROGRAMS = {
  // one argument of a shell command, whatever the value contains
  curl: program('curl', 'curl', (value) => `'${String(value).replaceAll("'", `'\\''`)}'`),
  'openid-client': program('openid-client', 'openid-client (Node.js)', JSON.stringify),
  'simple-oauth2': program('simple-oauth2', 'simple-oauth2 (Node.js)', JSON.stringify),
};

function program(name: string, title: string, escape: (value: unknown) => string) {
  const view = PACKAGED_VIEWS.get(`snippets/${name}.ejs`) ?? '';
  return { title, template: lazy(() => ejs.compile(view, { escape })) };
}

/** Authentication methods, as far as their code differs. */
const WAYS: Readonly<Record<string, string>> = {
  none: 'none',
  client_secret_basic: 'client_secret_basic',
  client_secret_post: 'client_secret_post',
  client_secret_jwt: 'client_secret_jwt',
  // RFC 8705 §2
  tls_client_auth: 'certificate',
  self_signed_tls_client_auth: 'certificate',
  // OAuth SPIFFE Client Authentication (draft 02) §3.1: the platform provides the JWT-SVID
  spiffe_jwt: 'svid',
};

/** The code examples for an application: the endpoints, snippets, and a trial. */
export function describeCode(client: ClientInfo, settings: Settings, translator: Translator) {
  const { clientId, scopes, grantTypes, redirectUris, jwks } = client;
  const { text } = translator;
  const token = urlOf(settings, 'token');
  const endpoints = {
    issuer: settings.issuer,
    authorization: urlOf(settings, 'authorize'),
    token,
    /** The token endpoint for clients with a certificate (RFC 8705 §5). Undefined: the same. */
    tokenWithCertificate: aliasOf(settings, token),
  };
  // a self-registered application already runs, and its owner here is not its developer
  if (client.selfRegistered === true) return { endpoints, snippets: [], trial: undefined };

  const scope = scopes.join(' ');
  const [redirectUri = ''] = redirectUris;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
  });
  if (scope !== '') query.set('scope', scope);
  // clients with keys name their method, so the default is a secret
  const { type, tokenEndpointAuthMethod = 'client_secret_basic' } = client;
  const method = type === 'public' ? 'none' : tokenEndpointAuthMethod;
  const way = WAYS[method] ?? 'key';
  const { kid, alg, kty = '' }: Partial<PublicJwk> = jwks?.keys[0] ?? {};
  // one line, even if the site has changed the text
  const comment = (key: Parameters<typeof text>[0]) => text(key).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

  /**
   * The code of an example. It reads secrets from its environment. `verifier` belongs to a request that was made
   * elsewhere; without it the code makes its own.
   */
  const writeSnippet = (program: keyof typeof PROGRAMS, grantType: string, verifier?: string): string => {
    const isCurl = program === 'curl';
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
    const data = {
      comment,
      note: way === 'none' ? undefined : comment(note),
      way,
      clientId,
      endpoints,
      tokenAddress: (way === 'certificate' ? endpoints.tokenWithCertificate : undefined) ?? token,
      grantType,
      scope,
      redirectUri,
      query,
      verifier,
      // the algorithm and the id of the first key, if known
      key: {
        kid: typeof kid === 'string' ? kid : undefined,
        alg: typeof alg === 'string' ? alg : ({ RSA: 'RS256', OKP: 'EdDSA' }[kty] ?? 'ES256'),
      },
    };
    return PROGRAMS[program].template()(data).trimEnd();
  };

  // curl and the suitable client libraries, for each grant type that needs an explanation
  const hasSimpleOAuth2 = ['none', 'client_secret_basic', 'client_secret_post'].includes(method);
  const programs = (Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]).filter(
    (program) => program !== 'simple-oauth2' || hasSimpleOAuth2,
  );
  const snippets = (['authorization_code', 'client_credentials'] as const)
    .filter((grantType) => grantTypes.includes(grantType))
    .map((grantType) => ({
      title: text(`grantType.${grantType}`),
      snippets: programs.map((program) => ({
        id: `snippet-${grantType}-${program}`,
        title: PROGRAMS[program].title,
        code: writeSnippet(program, grantType),
      })),
    }));
  if (redirectUris.length === 0 || !grantTypes.includes('authorization_code'))
    return { endpoints, snippets, trial: undefined };

  // An authorization request that the developer makes instead of the application. Only this page has the verifier of
  // its challenge, so nobody else can redeem the code, not even the running application, for which the response would
  // be an injected one (RFC 9700 §4.7).
  const verifier = createSecret();
  const tried = new URLSearchParams(query);
  tried.set('state', createSecret());
  tried.set('code_challenge', challengeOf(verifier));
  tried.set('code_challenge_method', 'S256');
  // the consent page always appears, because the developer wants to see it
  tried.set('prompt', 'consent');
  const trial = {
    address: `${endpoints.authorization}?${tried.toString()}`,
    redirectUri,
    /** Gets tokens for the code of this request (RFC 7636 §4.5). */
    snippet: writeSnippet('curl', 'authorization_code', verifier),
    /** The lifetime of the code. */
    span: translator.span(settings.lifetimes.authorizationCode),
  };
  return { endpoints, snippets, trial };
}
