// Each procedure asks for its own scopes. A client sends the token in `headers` of httpBatchLink:
// async () => ({ Authorization: 'Bearer ' + (await getToken()) }).
//
// If tokens may be bound to a key, put oauth.guard({ optional: true }) before the middleware and use req.auth for the
// context, because oauth.verify sees no proof. A subscription over a WebSocket (wsLink) has its token in
// info.connectionParams: pass the socket to oauth.verify, and close it when auth.signal fires, as in websockets.mjs.

import { initTRPC, TRPCError } from '@trpc/server';
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import { app, oauth } from './start.mjs';

/** Without a token there is no `auth`; a wrong token is refused, with the challenge of RFC 6750 in the header. */
async function createContext({ req, res }) {
  const [, token] = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '') ?? [];
  if (token === undefined) return {};
  try {
    return { auth: await oauth.verify(token) };
  } catch (cause) {
    res.set(cause.headers);
    const code = { 429: 'TOO_MANY_REQUESTS', 503: 'SERVICE_UNAVAILABLE' }[cause.status] ?? 'UNAUTHORIZED';
    throw new TRPCError({ code, message: cause.message, cause });
  }
}

const t = initTRPC.context().create();
/** A procedure for tokens with these scopes. */
const scoped = (...scopes) =>
  t.procedure.use(({ ctx: { auth }, next }) => {
    if (!auth) throw new TRPCError({ code: 'UNAUTHORIZED', message: 'an access token is needed' });
    const missing = scopes.filter((scope) => !auth.scopes.includes(scope));
    if (missing.length > 0)
      throw new TRPCError({ code: 'FORBIDDEN', message: `insufficient_scope: ${missing.join(' ')}` });
    return next({ ctx: { auth } });
  });

const photos = ['Sunset'];
const router = t.router({
  version: t.procedure.query(() => '1'),
  photos: scoped('photos:read').query(({ ctx }) => ({ photosOf: ctx.auth.userId, photos })),
  addPhoto: scoped('photos:write')
    .input((title) => String(title))
    .mutation(({ input }) => photos.push(input)),
});
app.use('/trpc', createExpressMiddleware({ router, createContext }));
app.listen(process.env.PORT ?? 3000);
