import { listen, type Listener } from '../listen.js';
import { runService } from '../service.js';
import { isLocal, readSettings, type Settings, StartError } from '../settings.js';
import { readTlsFiles } from '../tls-files.js';
import { createPhotoSite, type PhotoSite } from './app.js';
import { connectDatabase } from './database.js';
import { seed } from './seed.js';

await runService(async () => {
  const settings = readSettings(process.env);
  const { mongodbUri, sessionSecret, keySecret } = settings;
  if (mongodbUri === undefined || sessionSecret === undefined || keySecret === undefined)
    throw new StartError(
      'MONGODB_URI, SESSION_SECRET and KEY_SECRET are missing: start with npm run example.',
    );

  const connection = await connectDatabase(mongodbUri);
  const site = createPhotoSite({ ...settings, sessionSecret, keySecret }, connection);
  await Promise.all([site.oauth.ready(), site.photos.ready()]);
  await seed(site, settings);
  const listeners = await listenTo(site, settings);

  return async () => {
    await Promise.all(listeners.map((listener) => listener.stop()));
    await site.oauth.close();
    await connection.close();
  };
});

/** One port; if the site ends TLS itself, a second one for clients with a certificate. */
async function listenTo({ app }: PhotoSite, settings: Settings): Promise<readonly Listener[]> {
  const { port, mtlsPort, tlsFolder } = settings;
  const here = { port, variable: 'PORT', isLocal: isLocal(settings) } as const;
  if (tlsFolder === undefined) return [await listen(app, here)];
  const { key, cert, ca } = await readTlsFiles(tlsFolder);
  // the authorization server, not Node, refuses missing and untrusted certificates
  const asking = { key, cert, ca, requestCert: true, rejectUnauthorized: false };
  return [
    await listen(app, { ...here, tls: { key, cert } }),
    await listen(app, { ...here, port: mtlsPort, variable: 'MTLS_PORT', tls: asking }),
  ];
}
