import type { Request, Response } from 'express';
import { csrfTokenOf } from '../http/csrf.js';
import type { StoredClient } from '../models/clients.js';
import type { Settings } from '../settings.js';
import type { RenderPage } from '../views.js';
import { CONNECTION_TEXTS } from './connection-texts.js';
import { formTargetsOf } from './form-targets.js';

/** What the person is asked. */
export type ConsentQuestion = CommonQuestion & (RequestQuestion | DeviceQuestion);

/** The authorization endpoint asks, and its answer goes to a redirect URI. */
interface RequestQuestion {
  readonly redirectUri: string;
  /** The validated request, to be posted back with the decision. */
  readonly authorizationRequest: string;
  readonly userCode?: undefined;
}

/** The device page asks, and its answer is waited for by the device that shows this code (RFC 8628 §3.3). */
interface DeviceQuestion {
  readonly userCode: string;
}

interface CommonQuestion {
  readonly client: Pick<StoredClient, '_id' | 'name' | 'registration'>;
  readonly scopes: readonly string[];
  /** Said above the form, where the person is asked again. */
  readonly notice?: string;
  readonly status?: number;
}

export type RenderConsent = (req: Request, res: Response, question: ConsentQuestion) => Promise<void>;

export interface ConsentPageOptions {
  readonly settings: Settings;
  readonly renderPage: RenderPage;
}

/**
 * The page on which the resource owner decides: who asks, for what, as whom, and where the answer goes.
 *
 * @see RFC 6749 §4.1.1, §10.2
 */
export function createRenderConsent({ settings, renderPage }: ConsentPageOptions): RenderConsent {
  const base = `${settings.issuerPath}${settings.basePath}`;
  return async (req, res, { client, scopes, notice, status = 200, ...asked }) => {
    if (!req.user) throw new TypeError('express-authorization-server: the consent page needs a logged-in person');
    await renderPage(req, res, {
      view: 'consent',
      status,
      formTargets: asked.userCode === undefined ? formTargetsOf(asked.redirectUri) : [],
      locals: {
        title: `Allow ${client.name}?`,
        csrfToken: csrfTokenOf(req),
        clientName: client.name,
        // RFC 7591 §5: all it says of itself is self-asserted, its name first of all
        selfRegistered: client.registration !== undefined,
        ...(asked.userCode === undefined
          ? { action: `${base}/authorize`, authorizationRequest: asked.authorizationRequest, clientHost: clientHostOf(asked.redirectUri) }
          : { action: `${base}/device`, device: { userCode: asked.userCode, texts: CONNECTION_TEXTS.deviceConsent } }),
        userName: settings.userName(req.user),
        scopes: scopes.map((scope) => ({ scope, description: describeScope(settings.scopes, scope) })),
        notice,
      },
    });
  };
}

export function describeScope(descriptions: Readonly<Record<string, string>>, scope: string): string {
  return (Object.hasOwn(descriptions, scope) ? descriptions[scope] : undefined) ?? scope;
}

/** Where the answer goes, in words a person can check; the URL parser writes look-alike letters of a host as xn--…. */
function clientHostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === 'https:' ? host : 'an app on this device';
}
