// One guard before the endpoint lets requests in with a token, with a session of your own pages, or with neither, and
// refuses a wrong token. Each query, mutation and subscription asks for its own scope. A subscription ends with its token.
//
// A client of subscriptions sends a new token when it connects again:
// createClient({ url, connectionParams: async () => ({ token: await getToken() }) }).
// Keep Apollo Server's csrfPrevention on (the default): requests with the session need it.

import { EventEmitter, on } from 'node:events';
import { createServer } from 'node:http';
import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import { makeExecutableSchema } from '@graphql-tools/schema';
import express from 'express';
import { GraphQLError } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { app, oauth, users } from './start.mjs';

/** Throws unless the token has the scope. A user with a session on the site itself may do everything. */
function requireScope({ auth, user }, scope) {
  const refuse = (message, code, status) => {
    throw new GraphQLError(message, { extensions: { code, scope, http: { status } } });
  };
  if (auth && !auth.scopes.includes(scope)) refuse(`the token lacks the scope ${scope}`, 'FORBIDDEN', 403);
  if (!user) refuse('log in, or send an access token', 'UNAUTHENTICATED', 401);
}

const events = new EventEmitter();
const photos = [{ title: 'Sunset' }];
const schema = makeExecutableSchema({
  typeDefs: `
    type Photo { title: String! }
    type Query { version: String! photos: [Photo!]! }
    type Mutation { addPhoto(title: String!): Photo! }
    type Subscription { photoAdded: Photo! }
  `,
  resolvers: {
    Query: {
      version: () => '1',
      photos(_, __, context) {
        requireScope(context, 'photos:read');
        return photos;
      },
    },
    Mutation: {
      addPhoto(_, photo, context) {
        requireScope(context, 'photos:write');
        photos.push(photo);
        events.emit('photo', photo);
        return photo;
      },
    },
    Subscription: {
      photoAdded: {
        subscribe(_, __, context) {
          requireScope(context, 'photos:read');
          return on(events, 'photo');
        },
        resolve: ([photo]) => photo,
      },
    },
  },
});

const apollo = new ApolloServer({ schema });
await apollo.start();
app.use(
  '/graphql',
  oauth.guard({ optional: true, user: true }).orSession,
  express.json(),
  expressMiddleware(apollo, { context: async ({ req }) => ({ auth: req.auth, user: req.user }) }),
  oauth.errorHandler,
);

/** 4403: the client needs another token. 1013, "try again later": nobody could check the token, so the client keeps it. */
const closeCodeOf = ({ status }) => (status === 401 || status === 403 ? 4403 : 1013);

// browsers cannot send a header with a WebSocket, so the token comes in connectionParams
const server = createServer(app);
useServer(
  {
    schema,
    async onConnect({ connectionParams, extra }) {
      const { socket } = extra;
      try {
        const auth = await oauth.verify(connectionParams?.token, { requireUser: true, socket });
        auth.signal.addEventListener('abort', () =>
          socket.close(closeCodeOf(auth.signal.reason), 'the access token has ended'),
        );
        extra.context = { auth, user: await users.findById(auth.userId) };
        return true;
      } catch (error) {
        socket.close(closeCodeOf(error), error.error);
        return false;
      }
    },
    context: ({ extra }) => extra.context,
  },
  new WebSocketServer({ server, path: '/graphql' }),
);
server.listen(process.env.PORT ?? 3000);
