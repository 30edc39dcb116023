import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Plays GitHub and a company's identity provider: signs tokens, and publishes the key. */
export interface StandInIssuers {
  /** A token for a job, as GitHub issues it. */
  jobToken(audience: string): Promise<string>;
  /** An assertion that lets a client act for an employee (ID-JAG). */
  idJag(claims: Readonly<Record<string, unknown>>): Promise<string>;
  stop(): void;
}

export async function startIssuers(platformUrl: string): Promise<StandInIssuers> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const kid = randomUUID();
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }] });
  const server = createServer((req, res) => {
    const isKnown = req.url === '/ci/jwks' || req.url === '/idp/jwks';
    res.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' }).end(isKnown ? jwks : '{}');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(new URL(platformUrl).port), 'localhost', resolve);
  });
  const sign = (issuer: string, typ: string, claims: Readonly<Record<string, unknown>>) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid, typ })
      .setIssuer(`${platformUrl}/${issuer}`)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
  return {
    jobToken: (aud) =>
      sign('ci', 'JWT', {
        aud,
        sub: 'repo:lantern/photos:ref:refs/heads/main',
        repository: 'lantern/photos',
        repository_owner: 'lantern',
        ref: 'refs/heads/main',
        event_name: 'push',
      }),
    idJag: (claims) => sign('idp', 'oauth-id-jag+jwt', claims),
    stop: () => void server.close(),
  };
}
