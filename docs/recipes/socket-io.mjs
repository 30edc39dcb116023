// An access token in the handshake opens a socket, single events ask for more scopes, and a socket ends with its token.
// A token that is bound to a key is refused here.

import { Server } from 'socket.io';
import { app, oauth } from './start.mjs';

const io = new Server(app.listen(process.env.PORT ?? 3000), { cors: { origin: '*' } }); // safe, because no cookie opens a socket

io.use(async (socket, next) => {
  try {
    const { token } = socket.handshake.auth;
    const auth = await oauth.verify(token, {
      scopes: ['photos:read'],
      requireUser: true,
      socket: socket.conn,
    });
    auth.signal.addEventListener('abort', () => socket.disconnect(true));
    socket.data.auth = auth;
    next();
  } catch (error) {
    const { status, error: code, message } = error; // 401, 403, 429 or 503, with the code of the RFC
    next(Object.assign(new Error(message), { data: { status, error: code } }));
  }
});

io.on('connection', (socket) => {
  const { auth } = socket.data;
  socket.join(auth.userId);
  socket.on('photo:add', (title, done) => {
    if (!auth.scopes.includes('photos:write'))
      return done({ error: 'insufficient_scope', scope: 'photos:write' });
    io.to(auth.userId).emit('photo', { title });
    done({ title });
  });
});
