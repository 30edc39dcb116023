import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { MessageKey } from '../../messages/index.js';
import type { Translator } from '../rendering/translator.js';
import {
  CURL_CERTIFICATE,
  JWT_SPIFFE,
  openidAuthenticationOf,
  usesCertificate,
  usesSvid,
} from './openid-client-authentication.js';

/** Where the server is, for a client of it. */
export interface ServerAddresses {
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
  /** The token endpoint for clients with a certificate (RFC 8705 §5). Default: the same. */
  readonly tokenWithCertificate?: string | undefined;
}

/** Code to copy, with the values of one application; a secret is never in it, but in the environment it runs in. */
export interface Snippet {
  readonly id: string;
  readonly title: string;
  readonly code: string;
}

export interface SnippetGroup {
  readonly title: string;
  readonly snippets: readonly Snippet[];
}

interface Subject {
  readonly client: ClientInfo;
  readonly server: ServerAddresses;
  readonly method: string;
  readonly scope: string;
  readonly redirectUri: string;
  /** A comment of one line, whatever a site has made of the text. */
  readonly comment: (key: MessageKey) => string;
}

/** For each way of getting access that needs explaining: curl, and the client libraries that can do it. */
export function snippetsOf(
  client: ClientInfo,
  server: ServerAddresses,
  { text }: Translator,
): readonly SnippetGroup[] {
  const subject = subjectOf(client, server, text);
  const hasSimpleOAuth2 =
    subject.method === 'none' ||
    subject.method === 'client_secret_basic' ||
    subject.method === 'client_secret_post';
  const group = (
    name: 'authorization_code' | 'client_credentials',
    [curl, openidClient, simpleOAuth2]: readonly ((of: Subject) => string)[],
  ): SnippetGroup[] => {
    if (!client.grantTypes.includes(name)) return [];
    const made = [
      { id: 'curl', title: 'curl', make: curl },
      { id: 'openid-client', title: 'openid-client (Node.js)', make: openidClient },
      ...(hasSimpleOAuth2
        ? [{ id: 'simple-oauth2', title: 'simple-oauth2 (Node.js)', make: simpleOAuth2 }]
        : []),
    ];
    return [
      {
        title: text(`grantType.${name}`),
        snippets: made.map(({ id, title, make }) => ({
          id: `snippet-${name}-${id}`,
          title,
          code: make?.(subject) ?? '',
        })),
      },
    ];
  };
  return [
    ...group('authorization_code', [curlForCode, openidClientForCode, simpleOAuth2ForCode]),
    ...group('client_credentials', [curlForItself, openidClientForItself, simpleOAuth2ForItself]),
  ];
}

function subjectOf(client: ClientInfo, server: ServerAddresses, text: Translator['text']): Subject {
  return {
    client,
    server,
    method: methodOf(client),
    scope: client.scopes.join(' '),
    redirectUri: client.redirectUris[0] ?? '',
    comment: (key) => text(key).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '),
  };
}

/** The last step of a request that was made elsewhere, with the verifier of its challenge (RFC 7636 §4.5). */
export function snippetForTrial(
  client: ClientInfo,
  server: ServerAddresses,
  { translator, redirectUri, verifier }: { translator: Translator; redirectUri: string; verifier: string },
): string {
  const of = { ...subjectOf(client, server, translator.text), redirectUri };
  return lines(
    ...secretComment(of, '#'),
    `# ${of.comment('snippet.paste')}`,
    "CODE='paste-the-code'",
    ...curlToken(of, 'authorization_code', codeFields(redirectUri, shell(`code_verifier=${verifier}`))),
  );
}

function codeFields(redirectUri: string, verifier: string): string[] {
  return ['"code=$CODE"', shell(`redirect_uri=${redirectUri}`), verifier];
}

function methodOf(client: ClientInfo): string {
  if (client.type === 'public') return 'none';
  // a client with keys is registered for a method by name, so this one has a secret
  return client.tokenEndpointAuthMethod ?? 'client_secret_basic';
}

function curlForCode(of: Subject): string {
  const { server, client, scope, redirectUri, comment } = of;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    ...(scope !== '' && { scope }),
  }).toString();
  const address = `${shell(`${server.authorization}?${query}&state=`)}"$STATE&code_challenge=$CHALLENGE&code_challenge_method=S256"`;
  return lines(
    ...secretComment(of, '#'),
    'STATE=$(openssl rand -hex 16)',
    'VERIFIER=$(openssl rand -hex 32)',
    `CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')`,
    '',
    `# ${comment('snippet.open')}`,
    `echo ${address}`,
    '',
    `# ${comment('snippet.paste')}`,
    "CODE='paste-the-code'",
    ...curlToken(of, 'authorization_code', codeFields(redirectUri, '"code_verifier=$VERIFIER"')),
  );
}

function curlForItself(of: Subject): string {
  return lines(
    ...secretComment(of, '#'),
    ...curlToken(of, 'client_credentials', of.scope === '' ? [] : [shell(`scope=${of.scope}`)]),
  );
}

function curlToken(
  { client, server, method }: Subject,
  grantType: string,
  fields: readonly string[],
): string[] {
  const id = shell(`client_id=${client.clientId}`);
  const proof: Readonly<Record<string, readonly string[]>> = {
    // RFC 6749 §2.3.1: the id is form-encoded in front of the colon
    client_secret_basic: [`--user ${shell(`${encodeURIComponent(client.clientId)}:`)}"$CLIENT_SECRET"`],
    client_secret_post: [`--data-urlencode ${id}`, '--data-urlencode "client_secret=$CLIENT_SECRET"'],
    none: [`--data-urlencode ${id}`],
    spiffe_jwt: [
      `--data-urlencode ${id}`,
      `--data-urlencode ${shell(`client_assertion_type=${JWT_SPIFFE}`)}`,
      '--data-urlencode "client_assertion=$JWT_SVID"',
    ],
  };
  const isByCertificate = usesCertificate(method);
  const certificate = [...CURL_CERTIFICATE, `--data-urlencode ${id}`];
  const assertion = [
    `--data-urlencode ${shell('client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer')}`,
    '--data-urlencode "client_assertion=$CLIENT_ASSERTION"',
  ];
  const data = [`grant_type=${grantType}`, ...fields].map((field) => `--data-urlencode ${field}`);
  const { token, tokenWithCertificate = token } = server;
  const address = shell(isByCertificate ? tokenWithCertificate : token);
  return [`curl ${address}`, ...(proof[method] ?? (isByCertificate ? certificate : assertion)), ...data].map(
    (part, index, parts) => `${index === 0 ? '' : '  '}${part}${index < parts.length - 1 ? ' \\' : ''}`,
  );
}

function openidClientForCode(of: Subject): string {
  const { scope, redirectUri, comment } = of;
  return lines(
    ...openidClientStart(of),
    '',
    `// ${comment('snippet.begin')}`,
    'export async function begin() {',
    '  const codeVerifier = client.randomPKCECodeVerifier();',
    '  const state = client.randomState();',
    '  const address = client.buildAuthorizationUrl(configuration, {',
    `    redirect_uri: ${script(redirectUri)},`,
    ...(scope === '' ? [] : [`    scope: ${script(scope)},`]),
    '    state,',
    '    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),',
    "    code_challenge_method: 'S256',",
    '  });',
    '  return { address: address.href, codeVerifier, state };',
    '}',
    '',
    `// ${comment('snippet.finish')}`,
    'export function finish(address, { codeVerifier, state }) {',
    '  return client.authorizationCodeGrant(configuration, new URL(address), { pkceCodeVerifier: codeVerifier, expectedState: state });',
    '}',
  );
}

function openidClientForItself(of: Subject): string {
  return lines(
    ...openidClientStart(of),
    '',
    `export const tokens = await client.clientCredentialsGrant(configuration${of.scope === '' ? '' : `, { scope: ${script(of.scope)} }`});`,
  );
}

function openidClientStart(of: Subject): string[] {
  const { client, server } = of;
  const insecure = server.issuer.startsWith('http:') ? ', execute: [client.allowInsecureRequests]' : '';
  const {
    imports = [],
    before = [],
    metadata = 'undefined',
    authentication,
    option = '',
  } = openidAuthenticationOf(of.client, of.method);
  return [
    ...secretComment(of, '//'),
    ...imports,
    "import * as client from 'openid-client';",
    '',
    ...before,
    'const configuration = await client.discovery(',
    `  new URL(${script(server.issuer)}),`,
    `  ${script(client.clientId)},`,
    `  ${metadata},`,
    `  ${authentication},`,
    `  { algorithm: 'oauth2'${insecure}${option} },`,
    ');',
  ];
}

function simpleOAuth2ForCode(of: Subject): string {
  const { scope, redirectUri, comment } = of;
  return lines(
    ...secretComment(of, '//'),
    "import { createHash, randomBytes } from 'node:crypto';",
    "import { AuthorizationCode } from 'simple-oauth2';",
    '',
    ...simpleOAuth2Client(of, 'AuthorizationCode'),
    `const redirectUri = ${script(redirectUri)};`,
    '',
    `// ${comment('snippet.begin')}`,
    'export function begin() {',
    "  const codeVerifier = randomBytes(32).toString('base64url');",
    "  const state = randomBytes(16).toString('base64url');",
    '  const address = client.authorizeURL({',
    '    redirect_uri: redirectUri,',
    ...(scope === '' ? [] : [`    scope: ${script(scope)},`]),
    '    state,',
    "    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),",
    "    code_challenge_method: 'S256',",
    '  });',
    '  return { address, codeVerifier, state };',
    '}',
    '',
    `// ${comment('snippet.finish')}`,
    'export async function finish(address, { codeVerifier, state }) {',
    '  const { searchParams } = new URL(address);',
    "  if (searchParams.get('state') !== state) throw new Error('not the request that was sent');",
    "  const { token } = await client.getToken({ code: searchParams.get('code'), redirect_uri: redirectUri, code_verifier: codeVerifier });",
    '  return token;',
    '}',
  );
}

function simpleOAuth2ForItself(of: Subject): string {
  return lines(
    ...secretComment(of, '//'),
    "import { ClientCredentials } from 'simple-oauth2';",
    '',
    ...simpleOAuth2Client(of, 'ClientCredentials'),
    `export const { token } = await client.getToken({${of.scope === '' ? '' : ` scope: ${script(of.scope)} `}});`,
  );
}

function simpleOAuth2Client({ client, server, method }: Subject, grant: string): string[] {
  const authorization = new URL(server.authorization);
  return [
    `const client = new ${grant}({`,
    `  client: { id: ${script(client.clientId)}, secret: ${method === 'none' ? "''" : 'process.env.CLIENT_SECRET'} },`,
    '  auth: {',
    `    tokenHost: ${script(authorization.origin)},`,
    `    tokenPath: ${script(new URL(server.token).pathname)},`,
    ...(grant === 'AuthorizationCode' ? [`    authorizePath: ${script(authorization.pathname)},`] : []),
    '  },',
    ...(method === 'client_secret_basic' ? [] : ["  options: { authorizationMethod: 'body' },"]),
    '});',
  ];
}

function secretComment({ method, comment }: Subject, mark: string): string[] {
  if (method === 'none') return [];
  if (usesCertificate(method)) return [`${mark} ${comment('snippet.certificate')}`];
  if (usesSvid(method)) return [`${mark} ${comment('snippet.svid')}`];
  if (method === 'private_key_jwt')
    return [`${mark} ${comment(mark === '#' ? 'snippet.assertion' : 'snippet.key')}`];
  return [
    `${mark} ${comment(method === 'client_secret_jwt' && mark === '#' ? 'snippet.assertion' : 'snippet.secret')}`,
  ];
}

function lines(...all: readonly string[]): string {
  return all.join('\n');
}

/** One word of a shell, whatever is in it. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A string of JavaScript. */
function script(text: string): string {
  return JSON.stringify(text);
}
