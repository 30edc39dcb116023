import bcrypt from 'bcrypt';

import type { Client } from '../../core/clients/client.js';
import { findClientProblems } from '../../core/clients/client-metadata.js';
import { guessableSecrets } from '../../core/clients/secrets/issue-client-secret.js';
import { BUILT_IN } from '../../features.js';
import { findRedirectUriProblem } from '../../shared/protocol/redirect-uri.js';
import { REDIRECT_URI_RULES } from '../client-checks.js';
import type { ReportFinding } from './finding.js';

const MIN_BCRYPT_ROUNDS = 10;
/** Fields with more detailed checks than those of registration. */
const SPECIAL = ['redirectUris', 'grantTypes'];

/** Reports unsafe values of a stored client; registration refuses most of them, but imports and old versions do not. */
export async function checkClient(reportAny: ReportFinding, client: Client): Promise<void> {
  const report: ReportFinding = (severity, check, text) => reportAny(severity, check, { ...text, client });
  const { clientId, grantTypes } = client;
  const isPublic = client.type === 'public';
  const codeGrant = `clients update ${clientId} --grant-types authorization_code refresh_token`;

  for (const uri of client.redirectUris) {
    const problem = findRedirectUriProblem(uri, REDIRECT_URI_RULES);
    if (problem !== undefined)
      report('serious', uri.startsWith('http:') ? 'client.http-redirect' : 'client.redirect', {
        what: `has the redirect URI ${uri}: ${problem.text}`,
        why: 'Codes go there: whoever reads along on the way, or answers there, gets them.',
        cure: `clients update ${clientId} --redirect-uri https://…`,
      });
  }
  report(client.trusted && isPublic && 'warning', 'client.trusted-public', {
    what: `is public and skips the consent page`,
    why: 'It cannot prove that it is itself: where its redirect URI can be taken over, tokens are given out and no user sees a page (RFC 6749 §10.2).',
    cure: `clients update ${clientId} --no-trusted`,
  });
  for (const grantType of ['implicit', 'password'])
    report(grantTypes.includes(grantType) && 'warning', `client.${grantType}`, {
      what: `may use the grant type ${grantType}`,
      why:
        grantType === 'implicit'
          ? 'Its tokens are in URLs, which end up in histories and logs (RFC 9700 §2.1.2).'
          : 'It sees the passwords of your users (RFC 9700 §2.4).',
      cure: `Move it to authorization_code with PKCE, then ${codeGrant}`,
    });
  report(isPublic && grantTypes.includes('client_credentials') && 'serious', 'client.public-credentials', {
    what: `is public and may use client_credentials`,
    why: 'It has no credentials, so anybody could be it (RFC 6749 §4.4).',
    cure: codeGrant,
  });

  // problems that registration would refuse today, regardless of this site's options
  const limits = {
    ...client,
    tokenEndpointAuthMethods: [client.tokenEndpointAuthMethod ?? []].flat(),
    methods: BUILT_IN.clientAuthenticationMethods,
    resources: undefined,
  };
  for (const { field, problem } of findClientProblems(client, limits))
    report(!SPECIAL.includes(field) && 'warning', `client.${field}`, {
      what: `could not be registered as it is stored: ${problem}`,
      why: 'It was stored by an older version or by something else; what uses the field may fail.',
      cure: `oauth.clients.update('${clientId}', { ${field}: … })`,
    });

  const chosen = client.secrets.filter(
    ({ algorithm, expiresAt }) =>
      algorithm === 'bcrypt' && (expiresAt === undefined || expiresAt > new Date()),
  );
  if (isPublic || chosen.length === 0) return;
  const guesses = guessableSecrets(client).filter((guess) => Buffer.byteLength(guess) <= 72);
  const isGuessed = await Promise.all(
    chosen.map(async ({ hash }) => {
      for (const guess of guesses) if (await bcrypt.compare(guess, hash).catch(() => false)) return true;
      return false;
    }),
  );
  const cure = `clients rotate-secret ${clientId}`;
  if (isGuessed.some(Boolean))
    return report('serious', 'client.guessed-secret', {
      what: `has a secret that was guessed here, at the first tries`,
      why: 'Anybody can be this client.',
      cure: `${cure} --overlap 0`,
    });
  const isCheap = chosen.some(({ hash }) => bcrypt.getRounds(hash) < MIN_BCRYPT_ROUNDS);
  report('warning', 'client.chosen-secret', {
    what: `has a secret that was brought along and may be short${isCheap ? `, hashed with fewer than ${MIN_BCRYPT_ROUNDS} rounds` : ''}`,
    why: 'A secret that somebody chose can be guessed, from a copy of the database without any limit; one made here has 256 random bits.',
    cure,
  });
}
