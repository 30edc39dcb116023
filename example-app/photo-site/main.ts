import { listen } from '../listen.js';
import { runService } from '../service.js';
import { isLocal, readSettings, StartError } from '../settings.js';
import { createPhotoSite } from './app.js';
import { connectDatabase } from './database.js';
import { seed } from './seed.js';

await runService(async () => {
  const settings = readSettings(process.env);
  const { mongodbUri, sessionSecret, keySecret, port } = settings;
  if (mongodbUri === undefined || sessionSecret === undefined || keySecret === undefined)
    throw new StartError(
      'MONGODB_URI, SESSION_SECRET and KEY_SECRET are missing: start with npm run example.',
    );

  const connection = await connectDatabase(mongodbUri);
  const site = createPhotoSite({ ...settings, sessionSecret, keySecret }, connection);
  await Promise.all([site.oauth.ready(), site.photos.ready()]);
  await seed(site, settings);
  const listener = await listen(site.app, { port, variable: 'PORT', isLocal: isLocal(settings) });

  return async () => {
    await listener.stop();
    await site.oauth.close();
    await connection.close();
  };
});
