import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

import request, { type Test } from 'supertest';

import { AUTHORITY, type CertificateName, CERTIFICATES } from './certificates.js';
import { openSite, type Site, type SiteOptions } from './site.js';
import { TEST_CERTIFICATE, TEST_KEY } from './tls.js';

/** A test site behind Node's TLS, which requests certificates and accepts any, or none. */
export interface TlsSite extends Site {
  /** `https://localhost:<port>`, its issuer; `site.server` is the same without TLS, as if behind a proxy. */
  readonly secureUrl: string;
}

export interface TlsServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Certificates of one authority are trusted, as `ca` of the server says. */
export async function listenByTls(listener: RequestListener): Promise<TlsServer> {
  const server: Server = createServer(
    { key: TEST_KEY, cert: TEST_CERTIFICATE, ca: AUTHORITY, requestCert: true, rejectUnauthorized: false },
    listener,
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function openTlsSite(options: SiteOptions = {}): Promise<TlsSite> {
  const behind: { app?: RequestListener } = {};
  const tls = await listenByTls((req, res) => behind.app?.(req, res));
  const site = await openSite({ issuer: tls.url, ...options });
  behind.app = site.app;
  return {
    ...site,
    secureUrl: tls.url,
    close: async () => {
      await tls.close();
      await site.close();
    },
  };
}

/** Sends the certificate of that name, or none. */
export function withCertificate(test: Test, name?: CertificateName): Test {
  const trusting = test.ca(TEST_CERTIFICATE);
  return name === undefined ? trusting : trusting.key(CERTIFICATES[name].key).cert(CERTIFICATES[name].cert);
}

export function postByTls(
  url: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  name?: CertificateName,
): Test {
  return withCertificate(request(url).post(path), name).type('form').send(fields);
}
