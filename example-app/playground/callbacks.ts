import express, { Router } from 'express';

import { hasState, isFrom } from './answers.js';
import { findFlow } from './flows/index.js';
import { showMessage, showPage } from './pages.js';
import { arrive, type Run } from './runs.js';
import type { PlaygroundSession, PlaygroundSessions } from './sessions.js';

export interface CallbacksOptions {
  readonly sessions: PlaygroundSessions;
  readonly issuer: string;
}

interface Pending {
  readonly flow: string;
  readonly run: Run;
}

/** The redirect URIs of the playground. */
export function createCallbacks({ sessions, issuer }: CallbacksOptions): Router {
  const callbacks = Router();

  callbacks.get('/callback', (req, res, next) => {
    const url = new URL(req.originalUrl, issuer);
    const session = sessions.find(req);
    const pending = findPending(session, url.searchParams);
    // a request that the playground did not send, as by the README: the photo site shows the response
    if (session === undefined || pending === undefined) return next('router');
    if (!isFrom(issuer, url.searchParams))
      return showMessage(
        res,
        400,
        'That answer is not from the photo site',
        'It names another server as its sender (RFC 9207), so the playground does not take it.',
      );
    const { flow, run } = pending;
    arrive(run, url, url.searchParams);
    run.values = {
      ...withoutState(run.values),
      ...pick(url.searchParams, 'code', 'state', 'iss'),
    };
    sessions.keep(session);
    const { afterAnswer = 'redeem' } = findFlow(flow) ?? {};
    res.redirect(303, `/playground/${flow}#${url.searchParams.has('code') ? afterAnswer : 'authorize'}`);
  });

  // RP-Initiated Logout §3: the redirect has the state, but no sender and no result
  callbacks.get('/logged-out', (req, res) => {
    const url = new URL(req.originalUrl, issuer);
    const session = sessions.find(req);
    const pending = findPending(session, url.searchParams, 'logoutState');
    if (session === undefined || pending === undefined)
      return showMessage(
        res,
        400,
        'That is no logout of yours',
        'It does not belong to one that you began here in this browser, so the playground does nothing.',
      );
    const { flow, run } = pending;
    arrive(run, url, url.searchParams);
    const { logoutState: _used, ...values } = run.values;
    run.values = { ...values, isBack: 'yes' };
    sessions.keep(session);
    res.redirect(303, `/playground/${flow}#log-out`);
  });

  callbacks.get('/implicit-callback', (req, res) => {
    sessions.open(req, res);
    showPage(res, 'implicit-callback', {
      title: 'The token is in the address',
      csrfToken: sessions.formTokenOf(req),
    });
  });

  callbacks.post(
    '/implicit-callback',
    express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 5 }),
    (req, res) => {
      const session = sessions.find(req);
      const { fragment } = (req.body ?? {}) as { fragment?: unknown };
      const parameters = new URLSearchParams(
        typeof fragment === 'string' ? fragment.trim().replace(/^.*#/s, '') : '',
      );
      const pending = sessions.isOwnForm(req) ? findPending(session, parameters) : undefined;
      if (session === undefined || pending === undefined || !isFrom(issuer, parameters)) {
        return showMessage(
          res,
          400,
          'That token is not for you',
          'It does not belong to anything that you began here in this browser. An application that took it could be made to show you somebody else’s photos.',
        );
      }
      const { flow, run } = pending;
      arrive(run, new URL(req.originalUrl, issuer), parameters);
      const accessToken = parameters.get('access_token');
      run.values = { ...withoutState(run.values), ...(accessToken !== null && { accessToken }) };
      sessions.keep(session);
      res.redirect(303, `/playground/${flow}#${accessToken === null ? 'ask' : 'use'}`);
    },
  );

  return callbacks;
}

/** RFC 6749 §10.12: finds the pending request by its state. */
function findPending(
  session: PlaygroundSession | undefined,
  parameters: URLSearchParams,
  name: 'state' | 'logoutState' = 'state',
): Pending | undefined {
  for (const [flow, run] of session?.runs ?? [])
    if (hasState(run.values[name], parameters)) return { flow, run };
  return undefined;
}

/** The response parameters that later steps need: `code`, `received_state`, `received_iss`. */
function pick(parameters: URLSearchParams, ...names: readonly string[]): Record<string, string> {
  const found = names.flatMap((name): [string, string][] => {
    const value = parameters.get(name);
    return value === null ? [] : [[name === 'code' ? name : `received_${name}`, value]];
  });
  return Object.fromEntries(found);
}

/** A state is valid for one response. */
function withoutState({ state: _used, ...rest }: Readonly<Record<string, string>>): Record<string, string> {
  return rest;
}
