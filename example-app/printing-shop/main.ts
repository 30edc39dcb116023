import { listen } from '../listen.js';
import { runService } from '../service.js';
import { readSettings } from '../settings.js';
import { createPrintingShop } from './app.js';

await runService(async () => {
  const settings = readSettings(process.env);
  const listener = await listen(createPrintingShop(settings), {
    port: settings.shopPort,
    variable: 'SHOP_PORT',
    isLocal: true,
  });
  return () => listener.stop();
});
