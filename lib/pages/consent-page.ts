import type { Request, Response } from 'express';
import { csrfTokenOf } from '../http/csrf.js';
import type { StoredClient } from '../models/clients.js';
import type { Settings } from '../settings.js';
import type { RenderPage } from '../views.js';
import { describeScope } from './describe-scope.js';
import { formTargetsOf } from './form-targets.js';
import type { MessageKey } from './messages/index.js';

/** What the person is asked. */
export interface ConsentQuestion {
  readonly client: Pick<StoredClient, '_id' | 'name' | 'registration'>;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** The validated request, to be posted back with the decision. */
  readonly authorizationRequest: string;
  /** Said above the form, where the person is asked again. */
  readonly notice?: MessageKey;
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
  return async (req, res, { client, redirectUri, scopes, authorizationRequest, notice, status = 200 }) => {
    const person = req.user;
    if (!person) throw new TypeError('express-authorization-server: the consent page needs a logged-in person');
    await renderPage(req, res, {
      view: 'consent',
      status,
      formTargets: formTargetsOf(redirectUri),
      locals: ({ text, locale }) => ({
        title: text('consent.title', { client: client.name }),
        action,
        csrfToken: csrfTokenOf(req),
        authorizationRequest,
        clientName: client.name,
        // RFC 7591 §5: all it says of itself is self-asserted, its name first of all
        selfRegistered: client.registration !== undefined,
        clientHost: clientHostOf(redirectUri) ?? text('consent.device'),
        userName: settings.userName(person),
        scopes: scopes.map((scope) => ({ scope, description: describeScope(settings.scopes, scope, locale) })),
        notice: notice && text(notice),
      }),
    });
  };
}

/** Where the answer goes, in words a person can check; the URL parser writes look-alike letters of a host as xn--…. */
function clientHostOf(redirectUri: string): string | undefined {
  const { protocol, host } = new URL(redirectUri);
  return protocol === 'https:' ? host : undefined;
}
