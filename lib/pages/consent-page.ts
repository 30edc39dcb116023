import type { Request, Response } from 'express';
import { csrfTokenOf } from '../http/csrf.js';
import type { StoredClient } from '../models/clients.js';
import type { Settings } from '../settings.js';
import type { RenderPage } from '../views.js';
import { formTargetsOf } from './form-targets.js';

/** What the person is asked. */
export interface ConsentQuestion {
  readonly client: Pick<StoredClient, '_id' | 'name' | 'registration'>;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** What the access is for (RFC 8707). Default: this site's own API. */
  readonly resources?: readonly string[];
  /** The validated request, to be posted back with the decision. */
  readonly authorizationRequest: string;
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
  const action = `${settings.issuerPath}${settings.basePath}/authorize`;
  return async (req, res, { client, redirectUri, scopes, resources = [], authorizationRequest, notice, status = 200 }) => {
    if (!req.user) throw new TypeError('express-authorization-server: the consent page needs a logged-in person');
    await renderPage(req, res, {
      view: 'consent',
      status,
      formTargets: formTargetsOf(redirectUri),
      locals: {
        title: `Allow ${client.name}?`,
        action,
        csrfToken: csrfTokenOf(req),
        authorizationRequest,
        clientName: client.name,
        // RFC 7591 §5: all it says of itself is self-asserted, its name first of all
        selfRegistered: client.registration !== undefined,
        clientHost: clientHostOf(redirectUri),
        userName: settings.userName(req.user),
        scopes: scopes.map((scope) => ({ scope, description: describeScope(settings.scopes, scope) })),
        resources: resources.map((resource) => ({ resource, name: settings.resources.get(resource)?.name ?? new URL(resource).host })),
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
