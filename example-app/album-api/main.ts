import { listen } from '../listen.js';
import { runService } from '../service.js';
import { readSettings } from '../settings.js';
import { createAlbumApi } from './app.js';

await runService(async () => {
  const settings = readSettings(process.env);
  const listener = await listen(createAlbumApi(settings), {
    port: settings.albumPort,
    variable: 'ALBUM_PORT',
    isLocal: true,
  });
  return () => listener.stop();
});
