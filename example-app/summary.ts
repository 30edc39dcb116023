import { createDemoClients, demoDeveloper, demoGiftCard, demoUser, giftCardGrantType, playgroundPath, type DemoClient } from './demo.js';
import type { Settings } from './settings.js';

/** What a newcomer needs, as `npm run example` prints it. */
export function describeExample(settings: Settings, dataFolder: string): string {
  const { issuer, shopUrl } = settings;
  const playground = `${issuer}${playgroundPath}`;
  const rows = createDemoClients(settings).map(describeClient);
  return `
  Photo site       ${issuer}   log in as ${demoUser.username} / ${demoUser.password}
  Printing shop    ${shopUrl}   press "Print my photos"
  Playground       ${issuer}/playground   every grant, step by step
  Applications     ${issuer}/oauth/applications   log in as ${demoDeveloper.username} / ${demoDeveloper.password}, register your own
  Metadata         ${issuer}/.well-known/oauth-authorization-server

  Demo clients
${formatTable([['client id', 'secret', 'grant types'], ...rows])}

  Try it with curl
    A token for a service, then the API:
      curl -u roof-webcam:roof-webcam-demo-secret -d grant_type=client_credentials ${issuer}/oauth/token
      curl -H 'Authorization: Bearer <access_token>' ${issuer}/api/photos
    A gift card of ${demoUser.username}'s, good for one use (a new start makes it good again):
      curl -u gift-shop:gift-shop-demo-secret -d grant_type=${giftCardGrantType} -d gift_card=${demoGiftCard} ${issuer}/oauth/token
    The old way, with a person's password:
      curl -u old-desktop-app:old-desktop-app-demo-secret -d grant_type=password -d username=${demoUser.username} -d password=${demoUser.password} ${issuer}/oauth/token

  Try it in the browser
    Photo Studio is trusted, so there is no consent page. The page you land on stands in for a client: it shows what
    it was sent. Register its address, ${playground}, for an application of your own.
      ${issuer}/oauth/authorize?response_type=code&client_id=photo-studio&state=42

  ${describeData(settings, dataFolder)} Rate limits are ${settings.rateLimits ? 'on (RATE_LIMITS=off for load tests)' : 'off'}.
  Ctrl-C stops everything.
`;
}

function describeClient({ clientId, clientSecret, grantTypes = [], trusted = false }: DemoClient): string[] {
  const note = trusted ? ' (trusted: no consent page)' : grantTypes.some((grantType) => ['implicit', 'password'].includes(grantType)) ? ' (old)' : '';
  return [clientId, clientSecret ?? '(public)', grantTypes.join(', ') + note];
}

function describeData({ mongodbUri }: Settings, dataFolder: string): string {
  if (mongodbUri !== undefined) return 'Data are kept in the database of MONGODB_URI.';
  return `Data are kept in ${dataFolder}/ (delete the folder to begin anew).`;
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `    ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')}`).join('\n');
}
