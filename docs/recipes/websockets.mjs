// Programs send the token in the header of the request. A browser cannot, so a web page sends it as the first message.
// Do not put the token into the URL, which ends up in logs.
//
// What a client does: at 4401 it gets another token, at 4403 it asks the user for more scopes, at 1013 it keeps its token
// and connects again later, because the database did not answer.
// A revoked token ends its connections within guard.recheck seconds (5), with guard.cache within a second. Behind a proxy,
// add trustProxy to the options of guard.upgrade. No Origin check is needed, because no cookie opens a connection.

import { WebSocketServer } from 'ws';
import { app, oauth } from './start.mjs';

const server = app.listen(process.env.PORT ?? 3000);

/** 1013 is "try again later": nobody could check the token, so the client keeps it. */
const closeCodeOf = ({ status }) => ({ 401: 4401, 403: 4403 })[status] ?? 1013;

/** A connection hears of each new photo, and may add one if its token has the other scope. */
const connected = new Set();
function enter(ws, auth) {
  if (ws.readyState !== ws.OPEN) return; // it has left while its token was checked
  ws.on('error', () => ws.terminate()); // such as by a message that is too long
  connected.add(ws);
  ws.on('close', () => connected.delete(ws));
  auth.signal.addEventListener('abort', () =>
    ws.close(closeCodeOf(auth.signal.reason), 'the access token has ended'),
  );
  ws.on('message', (title) => {
    if (!auth.scopes.includes('photos:write'))
      return ws.send(JSON.stringify({ error: 'insufficient_scope' }));
    for (const other of connected) other.send(JSON.stringify({ title: String(title), by: auth.userId }));
  });
  ws.send(JSON.stringify({ hello: auth.userId }));
}

// programs: the token is in the header of the request
const sockets = new WebSocketServer({ noServer: true, maxPayload: 10_000 });
oauth.guard.upgrade(
  server,
  { path: '/live', scopes: ['photos:read'], requireUser: true },
  (req, socket, head) => {
    sockets.handleUpgrade(req, socket, head, (ws) => enter(ws, req.auth));
  },
);

// browsers: the token is the first message, and has ten seconds to come
server.on('upgrade', (req, socket, head) => {
  socket.on('error', () => socket.destroy());
  const [path] = req.url.split('?');
  if (path === '/live') return; // the guard answers
  if (path !== '/live/browser') return socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
  sockets.handleUpgrade(req, socket, head, (ws) => {
    const late = setTimeout(() => ws.close(4401, 'no access token has come'), 10_000);
    ws.on('error', () => ws.terminate());
    ws.on('close', () => clearTimeout(late));
    ws.once('message', async (token) => {
      clearTimeout(late);
      try {
        enter(
          ws,
          await oauth.verify(String(token), { scopes: ['photos:read'], requireUser: true, socket: ws }),
        );
      } catch (error) {
        ws.close(closeCodeOf(error), error.error);
      }
    });
  });
});
