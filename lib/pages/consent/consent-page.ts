import type { Request, Response } from 'express';

import { isOptionalScope } from '../../authorization/decision.js';
import { digestOf, type Shown } from '../../authorization/shown.js';
import type { Client } from '../../clients/client.js';
import { personalCsrfTokenOf } from '../../http/csrf.js';
import type { MessageKey } from '../../messages/index.js';
import { formTargetsOf } from '../../rendering/form-targets.js';
import type { Locals, RenderPage } from '../../rendering/views.js';
import type { Words } from '../../rendering/words.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { describeClient, findClientLogo } from './describe-client.js';
import { describeScope } from './describe-scope.js';

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
  readonly client: Shown['client'];
  readonly scopes: readonly string[];
  /** What the access is for (RFC 8707). Default: this site's own API. */
  readonly resources?: readonly string[];
  /** The scopes that the person has allowed the client before. */
  readonly remembered: readonly string[];
  /** Said above the form, where the person is asked again. */
  readonly notice?: MessageKey;
  readonly status?: number;
  /** The languages that the client says the person reads. */
  readonly uiLocales?: readonly string[];
}

export type RenderConsent = (req: Request, res: Response, question: ConsentQuestion) => Promise<void>;

export interface ConsentPageOptions {
  readonly settings: Settings;
  readonly renderPage: RenderPage;
}

/** More than these of what the client did not ask for would hide what it did. */
const MAX_NOT_ASKED = 3;

/**
 * The page on which the resource owner decides: who asks, for what, as whom, and where the answer goes.
 *
 * @see RFC 6749 §4.1.1, §10.2
 */
export function createRenderConsent({ settings, renderPage }: ConsentPageOptions): RenderConsent {
  return async (
    req,
    res,
    { client, scopes, resources = [], remembered, notice, status = 200, uiLocales, ...asked },
  ) => {
    const person = req.user;
    if (!person)
      throw new TypeError('express-authorization-server: the consent page needs a logged-in person');
    const redirectUri = asked.userCode === undefined ? asked.redirectUri : undefined;
    const asking = { client, scopes, resources, ...(redirectUri !== undefined && { redirectUri }) };
    const shown = digestOf(asking);
    await renderPage(req, res, {
      view: 'consent',
      status,
      uiLocales,
      formTargets: redirectUri === undefined ? [] : formTargetsOf(redirectUri),
      imageSources: imageSourcesOf(asking),
      locals: (words) => ({
        title: words.text('consent.title', { client: client.name }),
        csrfToken: personalCsrfTokenOf(req, settings.userId(person)),
        ...describeClient(asking, words),
        ...(asked.userCode === undefined
          ? {
              action: pathOf(settings, 'authorize'),
              fields: { authorization_request: asked.authorizationRequest, shown },
              clientHost: clientHostOf(asked.redirectUri, client.type) ?? words.text('consent.device'),
            }
          : {
              action: pathOf(settings, 'device'),
              fields: { user_code: asked.userCode, shown },
              device: { userCode: asked.userCode },
            }),
        userName: settings.userName(person),
        ...describeScopes({ scopes, remembered }, settings, words),
        resources: resources.map((resource) => ({
          resource,
          name: settings.resources.get(resource)?.name ?? new URL(resource).host,
        })),
        takeBackPath: pathOf(settings, 'authorizations'),
        notice: notice && words.text(notice),
      }),
    });
  };
}

function imageSourcesOf(asking: Shown): readonly string[] {
  const logo = findClientLogo(asking);
  return logo === undefined ? [] : [new URL(logo).origin];
}

/** What is new, what the client had, and what it will not get. */
function describeScopes(
  { scopes, remembered }: Pick<ConsentQuestion, 'scopes' | 'remembered'>,
  settings: Settings,
  { text, locale }: Words,
): Locals {
  const known = Object.keys(settings.scopes);
  const before = remembered.filter((scope) => known.includes(scope));
  const describe = (scope: string) => ({
    scope,
    description: describeScope(settings.scopes, scope, locale),
    isAsked: scopes.includes(scope),
    isOptional: isOptionalScope(settings, scope),
  });
  const [fresh, again] = [
    scopes.filter((scope) => !before.includes(scope)),
    [...before].sort((left, right) => known.indexOf(left) - known.indexOf(right)),
  ];
  const groups = [
    { legend: text(before.length === 0 ? 'consent.can' : 'consent.canNew'), scopes: fresh.map(describe) },
    { legend: text('consent.canAlready'), scopes: again.map(describe) },
  ];
  return {
    groups: groups.filter((group) => group.scopes.length > 0),
    hasOptionalScopes: scopes.some((scope) => isOptionalScope(settings, scope)),
    notAsked: known
      .filter((scope) => !scopes.includes(scope) && !before.includes(scope))
      .slice(0, MAX_NOT_ASKED)
      .map((scope) => describeScope(settings.scopes, scope, locale)),
  };
}

/** Where the answer goes, in words a person can check; the URL parser writes look-alike letters of a host as xn--…. */
function clientHostOf(redirectUri: string, type: Client['type'] | undefined): string | undefined {
  const { protocol, host } = new URL(redirectUri);
  // RFC 8252 §7.3: a public client on loopback is an app; a confidential one is a web server in development
  return protocol === 'https:' || (protocol === 'http:' && type === 'confidential') ? host : undefined;
}
