import {
  albumApi,
  createDemoClients,
  type DemoClient,
  demoDeveloper,
  demoGiftCard,
  demoUser,
  giftCardGrantType,
  playgroundPath,
} from './demo.js';
import type { Settings } from './settings.js';

/** The first screen of `npm run example`: the addresses, and the accounts. */
export function describeStart(settings: Settings, dataFolder: string, link: Link = (url) => url): string {
  const { issuer, shopUrl } = settings;
  return `
  Photo site      ${link(issuer)}
  Printing shop   ${link(shopUrl)}   press "Print my photos"
  Playground      ${link(`${issuer}/playground`)}   every grant, step by step
  API             ${link(`${issuer}/docs`)}   in Swagger UI, press "Authorize"

  Log in as       ${demoUser.username} / ${demoUser.password}
  or, a developer ${demoDeveloper.username} / ${demoDeveloper.password}

  All addresses, clients and commands for curl: npm run example -- --all
${describeTls(settings)}  ${describeData(settings, dataFolder)}
  ${END}
`;
}

/** Makes a printed address a link, if the terminal supports links. */
export type Link = (url: string) => string;

const END = 'Ctrl-C stops everything.';

/** Everything, as `npm run example -- --all` prints it. */
export function describeExample(settings: Settings, dataFolder: string): string {
  const { issuer, shopUrl, albumUrl, resources } = settings;
  const playground = `${issuer}${playgroundPath}`;
  const rows = createDemoClients(settings).map(describeClient);
  return `
  Photo site       ${issuer}   log in as ${demoUser.username} / ${demoUser.password}
  Printing shop    ${shopUrl}   press "Print my photos"
  Album API        ${albumUrl}/albums   another resource server, in a process of its own
  API              ${issuer}/docs   the photo site's, in Swagger UI; ${issuer}/openapi.json
  MCP server       ${resources.mcp}   the photos as tools of a language model; ${issuer}/connect says how
  Playground       ${issuer}/playground   every grant, step by step
  Applications     ${issuer}/oauth/applications   log in as ${demoDeveloper.username} / ${demoDeveloper.password}, register your own
  Connected apps   ${issuer}/oauth/authorizations   see what has access, and end it
  Access tokens    ${issuer}/oauth/access-tokens    make one for a script of your own
  Metadata         ${issuer}/.well-known/oauth-authorization-server
${describeTls(settings)}
  Demo clients
${formatTable([['client id', 'secret', 'grant types'], ...rows])}

  Try it with curl
    A token for a service, then the API with one:
      curl -u roof-webcam:roof-webcam-demo-secret -d grant_type=client_credentials ${issuer}/oauth/token
      TOKEN=$(curl -s -u roof-webcam:roof-webcam-demo-secret -d grant_type=client_credentials ${issuer}/oauth/token | grep -o 'eas_at_[^"]*')
      curl -H "Authorization: Bearer $TOKEN" ${issuer}/api/photos
    A gift card of ${demoUser.username}'s, good for one use (a new start makes it good again):
      curl -u gift-shop:gift-shop-demo-secret -d grant_type=${giftCardGrantType} -d gift_card=${demoGiftCard} ${issuer}/oauth/token
    The old way, with a person's password:
      curl -u old-desktop-app:old-desktop-app-demo-secret -d grant_type=password -d username=${demoUser.username} -d password=${demoUser.password} ${issuer}/oauth/token

  Try it on a device
    In another window, a program without a browser that you allow on your phone or in your browser:
      npm run example:device -- ${issuer}

  Try it in the browser
    Photo Studio is trusted, so there is no consent page. The page you land on stands in for a client: it shows what
    it was sent. Register its address, ${playground}, for an application of your own.
      ${issuer}/oauth/authorize?response_type=code&client_id=photo-studio&state=42

  Another resource server
    A token for the album API is a JWT: it goes by the published keys (${issuer}/oauth/jwks). The photo site refuses it.
      JWT=$(curl -s -u album-viewer:album-viewer-demo-secret -d grant_type=client_credentials -d scope=albums:read -d resource=${resources.albums} ${issuer}/oauth/token | grep -o 'eyJ[^"]*')
      curl -H "Authorization: Bearer $JWT" ${albumUrl}/albums
      curl -H "Authorization: Bearer $JWT" ${issuer}/api/me
    Orders cost money, so their tokens are opaque, and asked about each time:
      TOKEN=$(curl -s -u album-viewer:album-viewer-demo-secret -d grant_type=client_credentials -d scope=albums:order -d resource=${resources.orders} ${issuer}/oauth/token | grep -o 'eas_at_[^"]*')
      curl -X POST -H "Authorization: Bearer $TOKEN" ${albumUrl}/orders/mountains
      curl -u ${albumApi.clientId}:${albumApi.clientSecret} -d "token=$TOKEN" ${issuer}/oauth/introspect
    Revoked, it buys nothing more:
      curl -u album-viewer:album-viewer-demo-secret -d "token=$TOKEN" ${issuer}/oauth/revoke
      curl -X POST -H "Authorization: Bearer $TOKEN" ${albumUrl}/orders/mountains

  A client that nobody has registered
    It registers itself, by curl; or it says who it is by a document, as the Model Context Protocol client does, which is told nothing but a URL:
      curl -H 'Content-Type: application/json' -d '{"client_name":"My app","redirect_uris":["${playground}"]}' ${issuer}/oauth/register
      npm run example:mcp -- ${resources.mcp}

  ${describeData(settings, dataFolder)} Rate limits are ${settings.rateLimits ? 'on (RATE_LIMITS=off for load tests)' : 'off'}.
  ${END}
`;
}

function describeClient({
  clientId,
  clientSecret,
  jwksUri,
  tlsClientAuthSanDns,
  grantTypes = [],
  trusted = false,
  introspection = false,
}: DemoClient): string[] {
  const note = trusted
    ? ' (trusted: no consent page)'
    : grantTypes.some((grantType: string) => ['implicit', 'password'].includes(grantType))
      ? ' (old)'
      : '';
  return [
    clientId,
    clientSecret ?? describeProof({ jwksUri, tlsClientAuthSanDns }),
    introspection ? '(asks about tokens)' : grantTypes.join(', ') + note,
  ];
}

function describeProof({
  jwksUri,
  tlsClientAuthSanDns,
}: Pick<DemoClient, 'jwksUri' | 'tlsClientAuthSanDns'>): string {
  if (tlsClientAuthSanDns !== undefined) return '(a certificate)';
  return jwksUri === undefined ? '(public)' : '(a key of its own)';
}

/** A note about certificates that only the example has signed. */
function describeTls({ tlsFolder, mtlsUrl }: Settings): string {
  if (tlsFolder === undefined) return '';
  return `
  With TLS: no browser knows who has signed the certificate, so yours warns you. For curl:
    export CURL_CA_BUNDLE=${tlsFolder}/authority.pem
  Clients with a certificate (client.pem and client.key there are those of certified-shop) come to ${mtlsUrl}.
`;
}

function describeData({ mongodbUri }: Settings, dataFolder: string): string {
  if (mongodbUri !== undefined) return 'Data are kept in the database of MONGODB_URI.';
  return `Data are kept in ${dataFolder}/ (delete the folder to begin anew).`;
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => `    ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')}`)
    .join('\n');
}
