import { listen } from '../listen.js';
import { runService } from '../service.js';
import { readSettings } from '../settings.js';
import { createPrintingShop } from './app.js';
import { createShopKeys } from './shop-keys.js';

await runService(async () => {
  const settings = readSettings(process.env);
  const listener = await listen(createPrintingShop(settings, await createShopKeys()), {
    port: settings.shopPort,
    variable: 'SHOP_PORT',
    isLocal: true,
  });
  return () => listener.stop();
});
