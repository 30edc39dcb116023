import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import { CliError } from '../exit.js';
import type { Io } from '../io.js';
import { fetchMetadata, stringsIn } from '../metadata.js';
import { checkClientEndpoints } from './client-endpoints.js';
import type { ReportFinding } from './finding.js';
import { checkPages, type PagesToCheck } from './pages.js';
import { requestAuthorization, urlIn } from './requests.js';
import { checkShutOutClients } from './shut-out-clients.js';

/** Reports problems of the running site, in its metadata and its pages. */
export async function checkSite(report: ReportFinding, io: Io, issuer: string, pages: PagesToCheck) {
  const fetched = await fetchMetadata(io, issuer).catch((error: unknown) => error as Error);
  if (fetched instanceof Error)
    return report('serious', 'site.metadata', {
      what: fetched.message,
      why: 'Client libraries find the endpoints by it (RFC 8414).',
      cure: (fetched instanceof CliError ? fetched.cure : undefined) ?? 'Look into the log of the site.',
    });
  const { metadata, headers } = fetched;
  const isLocal = (url: string) => isLoopbackHost(new URL(url).hostname);

  // RFC 8414 §3.3
  report(metadata.issuer !== issuer && 'serious', 'site.issuer', {
    what: `the site says that its issuer is ${String(metadata.issuer)}, not ${issuer}`,
    why: 'Clients MUST refuse metadata whose issuer differs from the one they asked (RFC 8414 §3.3).',
    cure: 'Write the public URL of the site as the option issuer, letter by letter.',
  });
  // RFC 6749 §3.1, §3.2: TLS
  if (new URL(issuer).protocol === 'http:')
    report(isLocal(issuer) ? 'note' : 'serious', 'site.http', {
      what: `the issuer ${issuer} has no TLS${isLocal(issuer) ? ', which is all right on this machine only' : ''}`,
      why: 'Passwords, codes and tokens can be read and changed on the way (RFC 6749 §3.1, §3.2).',
      cure: 'Serve the site by https: and write that as the option issuer.',
    });
  for (const [name, url] of Object.entries(metadata))
    if (
      /_(endpoint|uri)$/.test(name) &&
      typeof url === 'string' &&
      (!URL.canParse(url) || (new URL(url).protocol !== 'https:' && !isLocal(url)))
    )
      report('serious', 'site.endpoint', {
        what: `${name} is ${url}`,
        why: 'Endpoints need TLS (RFC 6749 §3.1, §3.2).',
        cure: 'Write an https: URL as the option issuer.',
      });

  // RFC 9700 §2.1, §2.4: the protection of codes and passwords
  const has = (name: string, value: string) => stringsIn(metadata[name]).includes(value);
  const hasEndpoint = metadata.authorization_endpoint !== undefined;
  report(hasEndpoint && !has('code_challenge_methods_supported', 'S256') && 'serious', 'site.pkce', {
    what: 'PKCE with S256 is not offered',
    why: 'A stolen code can be redeemed by the thief (RFC 9700 §2.1.1).',
    cure: 'Nothing of this package switches it off: look what stands before the site.',
  });
  report(has('code_challenge_methods_supported', 'plain') && 'warning', 'site.pkce-plain', {
    what: 'PKCE is offered with the method plain',
    why: 'Whoever reads the request can redeem the code (RFC 7636 §7.2).',
    cure: 'Offer S256 alone.',
  });
  report(has('response_types_supported', 'token') && 'warning', 'site.implicit', {
    what: 'the implicit grant is on',
    why: 'Tokens in URLs end up in histories and logs (RFC 9700 §2.1.2).',
    cure: "Take 'implicit' out of the option grantTypes.",
  });
  report(has('grant_types_supported', 'password') && 'warning', 'site.password', {
    what: 'the password grant is on',
    why: 'Clients see the passwords of your users (RFC 9700 §2.4).',
    cure: "Take 'password' out of the option grantTypes.",
  });
  const hasIss = metadata.authorization_response_iss_parameter_supported === true;
  report(hasEndpoint && !hasIss && 'warning', 'site.iss', {
    what: 'authorization responses do not name the issuer',
    why: 'Clients of several servers can be made to send a code to the wrong one (RFC 9207).',
    cure: 'Nothing of this package switches it off: look what stands before the site.',
  });
  await checkClientEndpoints(report, issuer, metadata, headers);

  const endpoint = urlIn(metadata.authorization_endpoint);
  if (endpoint === undefined) return;
  // Metadata cannot say whether PKCE is required, so a public client tries without it. `prompt=none` needs no login:
  // the error is `login_required` if the request was valid otherwise (OpenID Connect Core §3.1.2.6).
  const { publicClient, ofSite = [] } = pages;
  const sent = publicClient && (await requestAuthorization(endpoint, publicClient, { prompt: 'none' }));
  report(sent?.location?.searchParams.get('error') === 'login_required' && 'warning', 'site.pkce-optional', {
    what: `the public client ${publicClient?.clientId} can ask for a code without PKCE`,
    why: 'A stolen code can be redeemed by the thief (RFC 9700 §2.1.1).',
    cure: "Take pkce: 'optional' out of the option security, or write security: { pkce: 'all' }.",
  });
  await checkPages(report, endpoint, pages);
  await checkShutOutClients(report, endpoint, ofSite);
}
