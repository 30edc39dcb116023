import { MongoClient } from 'mongodb';

import { serve } from '../support/serve.js';
import { createByHand } from './by-hand.js';

/** With the driver alone. */
await serve(async (place) => {
  const client = await new MongoClient(place.databaseUri, { maxPoolSize: 3 }).connect();
  return createByHand(client.db(), place);
});
