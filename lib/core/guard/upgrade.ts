import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import express, { type Request } from 'express';

import { type UpgradeOptions, upgradeOptions } from '../../settings/options/guard-options.js';
import { parseOptions } from '../../settings/table/parse-options.js';
import { refuseCallAsMiddleware } from '../../settings/table/refuse-call-as-middleware.js';
import { handle } from '../http/handle.js';
import { createAdmission, type GuardDependencies } from './admission.js';
import { answerGuardError } from './answer-guard-error.js';
import { parseRouteOptions } from './parse-route-options.js';

/** Takes over an admitted connection: `handleUpgrade` of `ws`, of graphql-ws or of engine.io. */
export type OnUpgrade = (req: Request, socket: Duplex, head: Buffer) => unknown;

/** A server of `node:http` or `node:https`. */
export type UpgradingServer = Pick<Server, 'on' | 'off' | 'listenerCount'>;

/** For the error if `upgrade` is used as the handler of a route. */
const CALL = {
  call: 'oauth.guard.upgrade(server, { … }, onUpgrade)',
  place: (route: string) => `in the place of the route of ${route}`,
};
/** Milliseconds that a connection has to say goodbye after its token has ended. */
const GOODBYE = 500;

/**
 * Guards connections that leave HTTP, such as WebSockets. They are admitted like calls, and end with their token.
 *
 * @returns removes the guard from the server
 */
export function guardUpgrades(
  dependencies: GuardDependencies,
  server: UpgradingServer,
  { input, onUpgrade }: { readonly input: UpgradeOptions; readonly onUpgrade: OnUpgrade },
): () => void {
  refuseCallAsMiddleware('guard.upgrade', CALL, server);
  const { path, trustProxy, ...route } = parseOptions('upgrade', upgradeOptions, input);
  const connections = new WeakMap<object, { readonly socket: Duplex; readonly head: Buffer }>();
  const { admit } = createAdmission(dependencies, parseRouteOptions(route, dependencies));
  // Express then reads the caller's address as in the site's routes
  const app = express().disable('x-powered-by').set('trust proxy', trustProxy);
  app.use(
    handle(async (req, res) => {
      const { socket, head } = connections.get(req)!;
      const admitted = await admit(req, res);
      if (typeof admitted !== 'object') throw new TypeError('no access token let this request in');
      req.auth = admitted.auth;
      if (admitted.user !== undefined) req.user = admitted.user;
      // the token is watched until the response closes, so the detached socket's event is passed on
      res.detachSocket(socket as Socket);
      if (socket.destroyed) res.emit('close');
      else socket.once('close', () => res.emit('close'));
      admitted.auth.signal?.addEventListener('abort', () =>
        setTimeout(() => socket.destroy(), GOODBYE).unref(),
      );
      try {
        await onUpgrade(req, socket, head);
      } catch (error) {
        socket.destroy();
        dependencies.report(error, { endpoint: 'guard', req, res });
      }
    }),
    answerGuardError,
  );

  const listener = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // a broken connection must not end the process
    socket.on('error', () => socket.destroy());
    if (path !== undefined && req.url?.split('?')[0] !== path) {
      // another listener answers the request; without one it would wait for ever
      if (server.listenerCount('upgrade') === 1)
        socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    connections.set(req, { socket, head });
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket as Socket);
    res.once('finish', () => socket.end());
    app(req, res);
  };
  server.on('upgrade', listener);
  return () => void server.off('upgrade', listener);
}
