import bcrypt from 'bcrypt';

import type { Client, ClientSecret } from '../../core/clients/client.js';
import { findClientProblems } from '../../core/clients/client-metadata.js';
import { countGuessableSecrets } from '../../core/clients/secrets/guessable-secrets.js';
import { BUILT_IN } from '../../features.js';
import { findRedirectUriProblem } from '../../shared/protocol/redirect-uri.js';
import { REDIRECT_URI_RULES } from '../client-checks.js';
import { type Finding, finding, type Severity } from './finding.js';

const MIN_BCRYPT_ROUNDS = 10;

/** What is unsafe about a client as it is stored; registration refuses most of it, imports and old versions do not. */
export async function checkClient(client: Client): Promise<Finding[]> {
  return [
    ...redirectFindings(client),
    ...trustFindings(client),
    ...grantTypeFindings(client),
    ...fieldFindings(client),
    ...(await secretFindings(client)),
  ];
}

/** A finding about a client: `about` continues the sentence after its name. */
export function ofClient(
  { clientId, name }: Client,
  severity: Severity,
  check: string,
  { about, ...text }: { readonly about: string; readonly why: string; readonly cure: string },
): Finding {
  return {
    ...finding(severity, check, { what: `client ${clientId} (${name}) ${about}`, ...text }),
    client: { clientId, name },
    about,
  };
}

function redirectFindings(client: Client): Finding[] {
  return client.redirectUris.flatMap((uri) => {
    const problem = findRedirectUriProblem(uri, REDIRECT_URI_RULES);
    if (problem === undefined) return [];
    return [
      ofClient(client, 'serious', uri.startsWith('http:') ? 'client.http-redirect' : 'client.redirect', {
        about: `has the redirect URI ${uri}: ${problem.text}`,
        why: 'Codes go there: whoever reads along on the way, or answers there, gets them.',
        cure: `clients update ${client.clientId} --redirect-uri https://…`,
      }),
    ];
  });
}

function trustFindings(client: Client): Finding[] {
  if (!client.trusted || client.type !== 'public') return [];
  return [
    ofClient(client, 'warning', 'client.trusted-public', {
      about: `is public and skips the consent page`,
      why: 'It cannot prove that it is itself: where its redirect URI can be taken over, tokens are given out and no user sees a page (RFC 6749 §10.2).',
      cure: `clients update ${client.clientId} --no-trusted`,
    }),
  ];
}

function grantTypeFindings(client: Client): Finding[] {
  const findings: Finding[] = [];
  for (const grantType of ['implicit', 'password']) {
    if (!client.grantTypes.includes(grantType)) continue;
    findings.push(
      ofClient(client, 'warning', `client.${grantType}`, {
        about: `may use the grant type ${grantType}`,
        why:
          grantType === 'implicit'
            ? 'Its tokens are in URLs, which end up in histories and logs (RFC 9700 §2.1.2).'
            : 'It sees the passwords of your users (RFC 9700 §2.4).',
        cure: `Move it to authorization_code with PKCE, then clients update ${client.clientId} --grant-types authorization_code refresh_token`,
      }),
    );
  }
  if (client.type === 'public' && client.grantTypes.includes('client_credentials')) {
    findings.push(
      ofClient(client, 'serious', 'client.public-credentials', {
        about: `is public and may use client_credentials`,
        why: 'It has no credentials, so anybody could be it (RFC 6749 §4.4).',
        cure: `clients update ${client.clientId} --grant-types authorization_code refresh_token`,
      }),
    );
  }
  return findings;
}

/** Fields about which there is more to say than registration says. */
const SPECIAL = ['redirectUris', 'grantTypes'];

/** What registration would refuse today, regardless of this site's options. */
function fieldFindings(client: Client): Finding[] {
  const limits = {
    ...client,
    tokenEndpointAuthMethods: [client.tokenEndpointAuthMethod ?? []].flat(),
    methods: BUILT_IN.clientAuthenticationMethods,
    resources: undefined,
  };
  return findClientProblems(client, limits)
    .filter(({ field }) => !SPECIAL.includes(field))
    .map(({ field, problem }) =>
      ofClient(client, 'warning', `client.${field}`, {
        about: `could not be registered as it is stored: ${problem}`,
        why: 'It was stored by an older version or by something else; what uses the field may fail.',
        cure: `oauth.clients.update('${client.clientId}', { ${field}: … })`,
      }),
    );
}

async function secretFindings(client: Client): Promise<Finding[]> {
  if (client.type === 'public') return [];
  const chosen = client.secrets.filter(
    ({ algorithm, expiresAt }) =>
      algorithm === 'bcrypt' && (expiresAt === undefined || expiresAt > new Date()),
  );
  const guessed = (await Promise.all(chosen.map((secret) => isCommonSecret(secret, client)))).some(Boolean);
  const cure = `clients rotate-secret ${client.clientId}`;
  if (guessed) {
    return [
      ofClient(client, 'serious', 'client.guessed-secret', {
        about: `has a secret that was guessed here, at the first tries`,
        why: 'Anybody can be this client.',
        cure: `${cure} --overlap 0`,
      }),
    ];
  }
  if (chosen.length === 0) return [];
  const isCheap = chosen.some(({ hash }) => bcrypt.getRounds(hash) < MIN_BCRYPT_ROUNDS);
  return [
    ofClient(client, 'warning', 'client.chosen-secret', {
      about: `has a secret that was brought along and may be short${isCheap ? `, hashed with fewer than ${MIN_BCRYPT_ROUNDS} rounds` : ''}`,
      why: 'A secret that somebody chose can be guessed, from a copy of the database without any limit; one made here has 256 random bits.',
      cure,
    }),
  ];
}

async function isCommonSecret({ hash }: ClientSecret, client: Client): Promise<boolean> {
  const guesses = countGuessableSecrets(client).filter((guess) => Buffer.byteLength(guess) <= 72);
  for (const guess of guesses) if (await bcrypt.compare(guess, hash).catch(() => false)) return true;
  return false;
}
