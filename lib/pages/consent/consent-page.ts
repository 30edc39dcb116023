import type { Request, Response } from 'express';

import { consentDigest, type ConsentPrompt } from '../../core/authorization/consent-client.js';
import type { FormProblem } from '../../core/authorization/pending-decisions.js';
import type { ClientStore } from '../../core/clients/client-store.js';
import { isOnDevice } from '../../core/clients/may-redirect-to.js';
import { carryText } from '../../core/http/carried-text.js';
import { confirmationTokenOf, personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { MessageKey } from '../../messages/index.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Choices } from '../../settings/options/choice-options.js';
import { REFUSED_STATUS } from '../form-answers.js';
import { personLabel } from '../person.js';
import { formTargetsOf } from '../rendering/form-targets.js';
import type { RenderPage } from '../rendering/views.js';
import { describeClient, splitHost } from './describe-client.js';
import { createFindOrigin, describeOrigin } from './describe-origin.js';
import { describeRequest, describeRisks } from './describe-request.js';
import { confirmationDigest } from './read-consent.js';

/** What the user is asked: by the authorization endpoint, or by the device page. */
export interface ConsentQuestion extends Omit<ConsentPrompt, 'resources'> {
  /** What the access is for (RFC 8707). Default: this site's own API. */
  readonly resources?: readonly string[];
  /** The scopes that the user has allowed the client before. */
  readonly consented: readonly string[];
  /** What the user has picked before. Default: nothing. */
  readonly selectedBefore?: Choices;
  /** When the page is requested. */
  readonly now: Date;
  /** Why the user is asked again. */
  readonly problem?: FormProblem | undefined;
  /** The languages that the client says the user reads. */
  readonly uiLocales?: readonly string[];
  /** The validated request, to be posted back with the decision. Absent if a device waits for the answer. */
  readonly authorizationRequest?: string;
  /** Whether a later request may be answered without the user, unless they want to be asked each time. */
  readonly canAskEachTime?: boolean;
  /** The code of the device that waits for the answer (RFC 8628 §3.3). */
  readonly userCode?: string;
}

export type RenderConsent = (req: Request, res: Response, question: ConsentQuestion) => Promise<void>;

type ConsentPageOptions = Parameters<typeof createFindOrigin>[0] & {
  readonly models: { readonly clients: ClientStore };
  readonly renderPage: RenderPage;
};

/** The status and the text of a page that asks again. */
const NOTICES = {
  outOfDate: [403, 'consent.outOfDate'],
  undecided: [403, 'consent.undecided'],
  nothingTicked: [403, 'consent.nothingTicked'],
  tooManyClients: [429, 'consent.tooManyClients'],
  toPick: [REFUSED_STATUS, 'consent.notPicked'],
} as const satisfies Record<string, readonly [number, MessageKey]>;

/**
 * The page on which the resource owner decides: who asks, for what, as whom, and where the answer goes.
 *
 * @see RFC 6749 §4.1.1, §10.2
 */
export function createRenderConsent(options: ConsentPageOptions): RenderConsent {
  const { settings, models, renderPage } = options;
  const findOrigin = createFindOrigin(options);
  const authorizePath = pathOf(settings, 'authorize');
  return async (req, res, question) => {
    const { client, scopes, resources = [], authorizationDetails = [], problem, now, userCode } = question;
    const person = req.user;
    if (!person)
      throw new TypeError('express-authorization-server: the consent page needs a logged-in person');
    const userId = settings.people.id(person);
    const isDevice = userCode !== undefined;
    const { redirectUri, authorizationRequest = '' } = question;
    const asking: ConsentPrompt = { client, scopes, resources, authorizationDetails, redirectUri };
    const isPart = typeof problem === 'object';
    const toConfirm = isPart && 'toConfirm' in problem ? problem : undefined;
    const toPick = isPart && 'toPick' in problem ? problem : undefined;
    // the page that asks a second time refuses nothing
    const [status, notice] = toConfirm || !problem ? [200] : NOTICES[isPart ? 'toPick' : problem];
    // where the answer goes, in words a user can check; the URL parser writes look-alike letters of a host as xn--…
    const url = redirectUri === undefined ? undefined : new URL(redirectUri);
    // RFC 8252 §7.3: a public client on loopback is an app; a confidential one is a web server in development
    const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && client.type === 'confidential');
    const host = isWeb ? url?.host : undefined;
    const hostParts = host && (await splitHost(host));
    const origin = await findOrigin(client, isDevice);
    // the names of the clients that it may hand its tokens on to; a device hands nothing on
    const mayAct = isDevice ? [] : client.mayAct;
    const names = mayAct.length === 0 ? [] : await models.clients.findNames(mayAct);
    await renderPage(req, res, {
      view: toConfirm === undefined ? 'consent' : 'consent-confirm',
      status,
      uiLocales: question.uiLocales,
      address: isDevice ? undefined : `${authorizePath}?${authorizationRequest}`,
      formTargets: redirectUri === undefined ? [] : formTargetsOf(redirectUri),
      locals: async (translator) => ({
        title: translator.text(toConfirm === undefined ? 'consent.title' : 'consent.confirmTitle', {
          client: client.name,
        }),
        csrfToken: personalCsrfTokenOf(req, userId),
        ...describeClient(asking, settings, translator),
        hostParts,
        origin: describeOrigin(origin, translator, now),
        handedOn: mayAct.flatMap((id) => names.find(({ clientId }) => clientId === id)?.name ?? []),
        // where the form goes, and what it carries besides the decision
        action: isDevice ? pathOf(settings, 'device') : authorizePath,
        fields: {
          ...(isDevice
            ? { user_code: userCode }
            : { authorization_request: carryText(authorizationRequest) }),
          shown: consentDigest(asking),
        },
        device: isDevice ? { userCode } : undefined,
        // what a device may do is never remembered
        canAskEachTime: !isDevice && question.canAskEachTime === true,
        isAskedEachTime: toConfirm?.isAskedEachTime ?? toPick?.given.isAskedEachTime ?? false,
        isOnDevice: client.describesItself && redirectUri !== undefined && isOnDevice(redirectUri),
        clientHost: redirectUri && (host ?? translator.text('consent.device')),
        userName: personLabel(settings, person),
        ...(toConfirm === undefined
          ? await describeRequest(
              asking,
              { selectedBefore: {}, ...question, user: person, userId, problem: toPick },
              settings,
              translator,
            )
          : await describeRisks(asking, toConfirm, settings, translator)),
        confirmationToken:
          toConfirm &&
          confirmationTokenOf(
            req,
            userId,
            confirmationDigest({ prompt: asking, userCode }, { scopes: toConfirm.toConfirm, ...toConfirm }),
          ),
        resources: resources.map((resource) => ({
          resource,
          name: settings.resources.get(resource)?.name ?? new URL(resource).host,
        })),
        takeBackPath: pathOf(settings, 'authorizations'),
        notice: notice && translator.text(notice),
      }),
    });
  };
}
