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

/** The question of the authorization endpoint or of the device page. */
export interface ConsentQuestion extends Omit<ConsentPrompt, 'resources'> {
  /** The resources of the access (RFC 8707). Default: this site's API. */
  readonly resources?: readonly string[];
  /** The scopes of the earlier consent. */
  readonly consented: readonly string[];
  /** The choices of the earlier consent. Default: none. */
  readonly selectedBefore?: Choices;
  /** The time of the request. */
  readonly now: Date;
  /** Why the page is displayed again. */
  readonly problem?: FormProblem | undefined;
  /** The user's preferred languages, as the client says. */
  readonly uiLocales?: readonly string[];
  /** The validated request, which the form sends back. Absent for a device. */
  readonly authorizationRequest?: string;
  /** Whether a later request may skip the page, unless the user wants to be asked each time. */
  readonly canAskEachTime?: boolean;
  /** The user code of the device (RFC 8628 §3.3). */
  readonly userCode?: string;
}

export type RenderConsent = (req: Request, res: Response, question: ConsentQuestion) => Promise<void>;

type ConsentPageOptions = Parameters<typeof createFindOrigin>[0] & {
  readonly models: { readonly clients: ClientStore };
  readonly renderPage: RenderPage;
};

/** The status and the text of a page that is displayed again. */
const NOTICES = {
  outOfDate: [403, 'consent.outOfDate'],
  undecided: [403, 'consent.undecided'],
  nothingTicked: [403, 'consent.nothingTicked'],
  tooManyClients: [429, 'consent.tooManyClients'],
  toPick: [REFUSED_STATUS, 'consent.notPicked'],
} as const satisfies Record<string, readonly [number, MessageKey]>;

/**
 * The page on which the resource owner decides: it shows the client, the access, the user, and where the response goes.
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
    // the confirmation page is no refusal
    const [status, notice] = toConfirm || !problem ? [200] : NOTICES[isPart ? 'toPick' : problem];
    // the destination of the response in readable form; the URL parser writes look-alike letters of a host as xn--…
    const url = redirectUri === undefined ? undefined : new URL(redirectUri);
    // RFC 8252 §7.3: a public client on loopback is an app, a confidential one a web server in development
    const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && client.type === 'confidential');
    const host = isWeb ? url?.host : undefined;
    const hostParts = host && (await splitHost(host));
    const origin = await findOrigin(client, isDevice);
    // the clients that may get tokens by exchange (`mayAct`); never for a device
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
        // the address of the form, and its hidden fields
        action: isDevice ? pathOf(settings, 'device') : authorizePath,
        fields: {
          ...(isDevice
            ? { user_code: userCode }
            : { authorization_request: carryText(authorizationRequest) }),
          shown: consentDigest(asking),
        },
        device: isDevice ? { userCode } : undefined,
        // consents to devices are not stored
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
