import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import { CliError } from '../exit.js';
import type { Io } from '../io.js';
import { fetchMetadata } from '../metadata.js';
import { checkClientEndpoints } from './client-endpoints.js';
import { type Finding, finding } from './finding.js';
import { checkPages, checkPkce, type PagesToCheck } from './pages.js';
import { checkShutOutClients } from './shut-out-clients.js';

type Metadata = Readonly<Record<string, unknown>>;

/** What is unsafe about the running site, from its metadata and its pages. */
export async function checkSite(
  io: Io,
  issuer: string,
  pages: Omit<PagesToCheck, 'authorizationEndpoint'>,
): Promise<Finding[]> {
  const { metadata, headers, failure } = await fetchMetadata(io, issuer).then(
    (fetched) => ({ ...fetched, failure: undefined }),
    (error: unknown) => ({ metadata: undefined, headers: undefined, failure: error as Error }),
  );
  if (metadata === undefined) {
    return [
      finding('serious', 'site.metadata', {
        what: failure.message,
        why: 'Client libraries find the endpoints by it (RFC 8414).',
        cure: (failure instanceof CliError ? failure.cure : undefined) ?? 'Look into the log of the site.',
      }),
    ];
  }
  const endpoint = metadata.authorization_endpoint;
  const ofPages =
    typeof endpoint === 'string' && URL.canParse(endpoint)
      ? [
          ...(await checkPkce({ ...pages, authorizationEndpoint: endpoint })),
          ...(await checkPages({ ...pages, authorizationEndpoint: endpoint })),
          ...(await checkShutOutClients(endpoint, pages.ofSite ?? [])),
        ]
      : [];
  return [
    ...issuerFindings(issuer, metadata),
    ...endpointFindings(metadata),
    ...protocolFindings(metadata),
    ...(await checkClientEndpoints(issuer, metadata, headers)),
    ...ofPages,
  ];
}

/** RFC 8414 §3.3, and TLS. */
function issuerFindings(issuer: string, { issuer: declared }: Metadata): Finding[] {
  const findings: Finding[] = [];
  if (declared !== issuer) {
    findings.push(
      finding('serious', 'site.issuer', {
        what: `the site says that its issuer is ${String(declared)}, not ${issuer}`,
        why: 'Clients MUST refuse metadata whose issuer differs from the one they asked (RFC 8414 §3.3).',
        cure: 'Write the public URL of the site as the option issuer, letter by letter.',
      }),
    );
  }
  const { protocol, hostname } = new URL(issuer);
  if (protocol === 'http:') {
    const isLocal = isLoopbackHost(hostname);
    findings.push(
      finding(isLocal ? 'note' : 'serious', 'site.http', {
        what: `the issuer ${issuer} has no TLS${isLocal ? ', which is all right on this machine only' : ''}`,
        why: 'Passwords, codes and tokens can be read and changed on the way (RFC 6749 §3.1, §3.2).',
        cure: 'Serve the site by https: and write that as the option issuer.',
      }),
    );
  }
  return findings;
}

function endpointFindings(metadata: Metadata): Finding[] {
  const endpoints = Object.entries(metadata).filter(
    (entry): entry is [string, string] => /_(endpoint|uri)$/.test(entry[0]) && typeof entry[1] === 'string',
  );
  return endpoints
    .filter(
      ([, url]) =>
        !URL.canParse(url) || (new URL(url).protocol !== 'https:' && !isLoopbackHost(new URL(url).hostname)),
    )
    .map(([name, url]) =>
      finding('serious', 'site.endpoint', {
        what: `${name} is ${url}`,
        why: 'Endpoints need TLS (RFC 6749 §3.1, §3.2).',
        cure: 'Write an https: URL as the option issuer.',
      }),
    );
}

function protocolFindings(metadata: Metadata): Finding[] {
  const has = (name: string, value: string) =>
    Array.isArray(metadata[name]) && metadata[name].includes(value);
  const findings: Finding[] = [];
  if (metadata.authorization_endpoint !== undefined && !has('code_challenge_methods_supported', 'S256')) {
    findings.push(
      finding('serious', 'site.pkce', {
        what: 'PKCE with S256 is not offered',
        why: 'A stolen code can be redeemed by the thief (RFC 9700 §2.1.1).',
        cure: 'Nothing of this package switches it off: look what stands before the site.',
      }),
    );
  }
  if (has('code_challenge_methods_supported', 'plain')) {
    findings.push(
      finding('warning', 'site.pkce-plain', {
        what: 'PKCE is offered with the method plain',
        why: 'Whoever reads the request can redeem the code (RFC 7636 §7.2).',
        cure: 'Offer S256 alone.',
      }),
    );
  }
  if (has('response_types_supported', 'token')) {
    findings.push(
      finding('warning', 'site.implicit', {
        what: 'the implicit grant is on',
        why: 'Tokens in URLs end up in histories and logs (RFC 9700 §2.1.2).',
        cure: "Take 'implicit' out of the option grantTypes.",
      }),
    );
  }
  if (has('grant_types_supported', 'password')) {
    findings.push(
      finding('warning', 'site.password', {
        what: 'the password grant is on',
        why: 'Clients see the passwords of your users (RFC 9700 §2.4).',
        cure: "Take 'password' out of the option grantTypes.",
      }),
    );
  }
  if (
    metadata.authorization_endpoint !== undefined &&
    metadata.authorization_response_iss_parameter_supported !== true
  ) {
    findings.push(
      finding('warning', 'site.iss', {
        what: 'authorization responses do not name the issuer',
        why: 'Clients of several servers can be made to send a code to the wrong one (RFC 9207).',
        cure: 'Nothing of this package switches it off: look what stands before the site.',
      }),
    );
  }
  return findings;
}
