import type { Request, Response } from 'express';

import {
  type ConsentClient,
  consentDigest,
  type ConsentPrompt,
} from '../../core/authorization/consent-client.js';
import type {
  ConfirmationRequired,
  FormProblem,
  SelectionRequired,
} from '../../core/authorization/pending-decisions.js';
import type { ClientStore } from '../../core/clients/client-store.js';
import { isOnDevice } from '../../core/clients/may-redirect-to.js';
import { carryText } from '../../core/http/carried-text.js';
import { confirmationTokenOf, personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { MessageKey } from '../../messages/index.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Choices } from '../../settings/options/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { REFUSED_STATUS } from '../form-answers.js';
import { personLabel } from '../person.js';
import { formTargetsOf } from '../rendering/form-targets.js';
import type { RenderPage } from '../rendering/views.js';
import { describeClient, splitHost } from './describe-client.js';
import { createFindOrigin, describeOrigin, type PeopleStores } from './describe-origin.js';
import { describeRequest, describeRisks } from './describe-request.js';
import { confirmationDigest } from './read-consent.js';

/** What the user is asked. */
export type ConsentQuestion = CommonQuestion & (RequestQuestion | DeviceQuestion);

/** The authorization endpoint asks, and its answer goes to a redirect URI. */
interface RequestQuestion {
  readonly redirectUri: string;
  /** The validated request, to be posted back with the decision. */
  readonly authorizationRequest: string;
  /** Whether a later request may be answered without the user, unless they want to be asked each time. */
  readonly canAskEachTime: boolean;
  readonly userCode?: undefined;
}

/** The device page asks, and the device that shows this code waits for its answer (RFC 8628 §3.3). */
interface DeviceQuestion {
  readonly userCode: string;
}

interface CommonQuestion {
  readonly client: ConsentClient;
  readonly scopes: readonly string[];
  /** What the access is for (RFC 8707). Default: this site's own API. */
  readonly resources?: readonly string[];
  /** What is asked for besides scopes (RFC 9396). Default: nothing. */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
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
}

export type RenderConsent = (req: Request, res: Response, question: ConsentQuestion) => Promise<void>;

export interface ConsentPageOptions {
  readonly settings: Settings;
  readonly models: PeopleStores & { readonly clients: ClientStore };
  readonly renderPage: RenderPage;
}

const NOTICES: Readonly<Record<Extract<FormProblem, string>, MessageKey>> = {
  outOfDate: 'consent.outOfDate',
  undecided: 'consent.undecided',
  nothingTicked: 'consent.nothingTicked',
  tooManyClients: 'consent.tooManyClients',
};

/**
 * The page on which the resource owner decides: who asks, for what, as whom, and where the answer goes.
 *
 * @see RFC 6749 §4.1.1, §10.2
 */
export function createRenderConsent({ settings, models, renderPage }: ConsentPageOptions): RenderConsent {
  const findOrigin = createFindOrigin({ settings, models });
  const authorizePath = pathOf(settings, 'authorize');
  const devicePath = pathOf(settings, 'device');
  const takeBackPath = pathOf(settings, 'authorizations');
  return async (req, res, question) => {
    const { client, scopes, resources = [], authorizationDetails = [], problem, uiLocales, now } = question;
    const person = req.user;
    if (!person)
      throw new TypeError('express-authorization-server: the consent page needs a logged-in person');
    const userId = settings.people.id(person);
    const { userCode } = question;
    const redirectUri = question.userCode === undefined ? question.redirectUri : undefined;
    const prompt: ConsentPrompt = { client, scopes, resources, authorizationDetails };
    const asking = redirectUri === undefined ? prompt : { ...prompt, redirectUri };
    const { toConfirm, toPick, status, isConfirmedEachTime = false, notice } = describeProblem(problem);
    // where the answer goes, in words a user can check; the URL parser writes look-alike letters of a host as xn--…
    const url = redirectUri === undefined ? undefined : new URL(redirectUri);
    // RFC 8252 §7.3: a public client on loopback is an app; a confidential one is a web server in development
    const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && client.type === 'confidential');
    const host = isWeb ? url?.host : undefined;
    const hostParts = host && (await splitHost(host));
    const origin = await findOrigin(client, redirectUri === undefined);
    // the names of the clients that it may hand its tokens on to; a device hands nothing on
    const mayAct = redirectUri === undefined ? [] : client.mayAct;
    const names = mayAct.length === 0 ? [] : await models.clients.findNames(mayAct);
    await renderPage(req, res, {
      view: toConfirm === undefined ? 'consent' : 'consent-confirm',
      status,
      uiLocales,
      address:
        question.userCode === undefined ? `${authorizePath}?${question.authorizationRequest}` : undefined,
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
        action: question.userCode === undefined ? authorizePath : devicePath,
        fields:
          question.userCode === undefined
            ? {
                authorization_request: carryText(question.authorizationRequest),
                shown: consentDigest(asking),
              }
            : { user_code: question.userCode, shown: consentDigest(asking) },
        device: userCode === undefined ? undefined : { userCode },
        // what a device may do is never remembered
        canAskEachTime: question.userCode === undefined && question.canAskEachTime,
        isAskedEachTime: isConfirmedEachTime,
        isOnDevice: client.describesItself && redirectUri !== undefined && isOnDevice(redirectUri),
        clientHost: redirectUri && (host ?? translator.text('consent.device')),
        userName: personLabel(settings, person),
        ...(toConfirm === undefined
          ? await describeRequest(
              asking,
              {
                user: person,
                userId,
                consented: question.consented,
                selectedBefore: question.selectedBefore ?? {},
                problem: toPick,
              },
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
        takeBackPath,
        notice: notice && translator.text(notice),
      }),
    });
  };
}

/** Why the user is asked again, in the parts of the page. */
interface ProblemView {
  readonly status: number;
  readonly toConfirm?: ConfirmationRequired;
  readonly toPick?: SelectionRequired;
  readonly isConfirmedEachTime?: boolean;
  readonly notice?: MessageKey;
}

function describeProblem(problem: FormProblem | undefined): ProblemView {
  if (problem === undefined) return { status: 200 };
  if (typeof problem === 'string')
    return { status: problem === 'tooManyClients' ? 429 : 403, notice: NOTICES[problem] };
  // the page that asks a second time refuses nothing
  if ('toConfirm' in problem)
    return { status: 200, toConfirm: problem, isConfirmedEachTime: problem.isAskedEachTime };
  return {
    status: REFUSED_STATUS,
    toPick: problem,
    isConfirmedEachTime: problem.given.isAskedEachTime,
    notice: 'consent.notPicked',
  };
}
