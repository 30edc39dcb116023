import { bindery, companyOrders, jwtBearerGrantType, tokenExchangeGrantType } from '../demo.js';
import { readSettings } from '../settings.js';
import { startIssuers } from './stand-in-issuers.js';

/**
 * Three clients without a browser. A CI job publishes a photo without any secret; a company's agent reads an employee's
 * photos by the company's identity provider; and the agent exchanges its token for a narrower one for a bindery.
 */
const { issuer, platformUrl } = readSettings(process.env);

interface Tokens {
  readonly access_token: string;
  readonly scope: string;
}

async function getToken(
  fields: Readonly<Record<string, string>>,
  client?: { readonly clientId: string; readonly clientSecret: string },
): Promise<Tokens> {
  const credentials = client && `${client.clientId}:${client.clientSecret}`;
  const response = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: credentials ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } : {},
  });
  if (!response.ok) throw new Error(`the photo site answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Tokens;
}

async function callApi(token: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${issuer}/api${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  if (!response.ok) throw new Error(`the API answered ${response.status}: ${await response.text()}`);
  return response.json();
}

const issuers = await startIssuers(platformUrl);
try {
  const job = await getToken({
    grant_type: jwtBearerGrantType,
    assertion: await issuers.jobToken(issuer),
  });
  const published = (await callApi(job.access_token, '/photos', { title: 'Release 1.0' })) as {
    title: string;
  };
  console.log(`The CI job has published "${published.title}", and has no secret.`);

  const agent = await getToken(
    {
      grant_type: jwtBearerGrantType,
      assertion: await issuers.idJag({
        sub: 'employee-7',
        aud: issuer,
        client_id: companyOrders.clientId,
        resource: issuer,
        scope: 'photos:read photos:write',
        may_act: { sub: bindery.clientId },
      }),
    },
    companyOrders,
  );
  const photos = (await callApi(agent.access_token, '/photos')) as unknown[];
  console.log(`The company's agent sees the ${photos.length} photos of its employee.`);

  const narrow = await getToken(
    {
      grant_type: tokenExchangeGrantType,
      subject_token: agent.access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      scope: 'photos:read',
    },
    bindery,
  );
  const { clientId, actor } = (await callApi(narrow.access_token, '/me')) as {
    clientId: string;
    actor?: { sub: string };
  };
  console.log(`${clientId} acts for the same employee as ${actor?.sub}, with ${narrow.scope} and no more.`);
} finally {
  issuers.stop();
}
