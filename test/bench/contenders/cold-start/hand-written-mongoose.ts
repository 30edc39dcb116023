import type { Db } from 'mongodb';
import mongoose from 'mongoose';

import { serve } from '../support/serve.js';
import { createByHand } from './by-hand.js';

/** In a site that has Mongoose for its own data. */
await serve(async (place) => {
  const { connection } = await mongoose.connect(place.databaseUri, { maxPoolSize: 3, autoIndex: false });
  return createByHand(connection.db as unknown as Db, place);
});
