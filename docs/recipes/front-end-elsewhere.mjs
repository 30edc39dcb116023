// The API for an app of another origin: FRONT_END=https://app.example ISSUER=https://api.example

import cors from 'cors';
import { app, oauth } from './start.mjs';

const { FRONT_END, PORT = 3000 } = process.env;
// the API: for this origin alone, without cookies; the app may read why it was refused
app.use('/api', cors({ origin: FRONT_END, exposedHeaders: ['WWW-Authenticate'], maxAge: 600 }));
app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json({ photosOf: req.auth.userId }));
app.use('/api', oauth.errorHandler);
app.get('/', (req, res) => res.redirect(FRONT_END)); // after a login or a logout without a client
app.listen(PORT);
