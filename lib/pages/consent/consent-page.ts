import type { Request, Response } from 'express';

import type { ConsentClient } from '../../core/authorization/consent-client.js';
import { consentDigest, type ConsentPrompt } from '../../core/authorization/consent-digest.js';
import type {
  ConfirmationRequired,
  FormProblem,
  SelectionRequired,
} from '../../core/authorization/pending-decisions.js';
import { isOnDevice } from '../../core/clients/native-redirect.js';
import { carryText } from '../../core/http/carried-text.js';
import { confirmationTokenOf, personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { MessageKey } from '../../messages/index.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Choices } from '../../settings/features/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { personLabel } from '../person.js';
import { REFUSED_STATUS } from '../refused-forms.js';
import { formTargetsOf } from '../rendering/form-targets.js';
import type { Translator } from '../rendering/translator.js';
import type { Locals, RenderPage } from '../rendering/views.js';
import { describeClient, findClientLogo } from './describe-client.js';
import { createFindHandedOn, type NameStores } from './describe-handed-on.js';
import { createFindOrigin, describeOrigin, type PeopleStores } from './describe-origin.js';
import { describeRequest, describeRisks } from './describe-request.js';
import { confirmationDigest } from './read-consent.js';
import { splitHost } from './registrable-host.js';

/** What the person is asked. */
export type ConsentQuestion = CommonQuestion & (RequestQuestion | DeviceQuestion);

/** The authorization endpoint asks, and its answer goes to a redirect URI. */
interface RequestQuestion {
  readonly redirectUri: string;
  /** The validated request, to be posted back with the decision. */
  readonly authorizationRequest: string;
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
  /** The scopes that the person has allowed the client before. */
  readonly consented: readonly string[];
  /** What the person has picked before. Default: nothing. */
  readonly selectedBefore?: Choices;
  /** When the page is requested. */
  readonly now: Date;
  /** Why the person is asked again. */
  readonly problem?: FormProblem;
  /** The languages that the client says the person reads. */
  readonly uiLocales?: readonly string[];
}

export type RenderConsent = (req: Request, res: Response, question: ConsentQuestion) => Promise<void>;

export interface ConsentPageOptions {
  readonly settings: Settings;
  readonly models: PeopleStores & NameStores;
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
  const findHandedOn = createFindHandedOn(models);
  return async (
    req,
    res,
    { client, consented, selectedBefore = {}, problem, uiLocales, now, ...requested },
  ) => {
    const person = req.user;
    if (!person)
      throw new TypeError('express-authorization-server: the consent page needs a logged-in person');
    const userId = settings.userId(person);
    const redirectUri = redirectUriOf(requested);
    const asking = askingOf(client, requested, redirectUri);
    const [toConfirm, toPick] = [toConfirmOf(problem), toPickOf(problem)];
    const before = { consented, selectedBefore };
    const host = clientHostOf(redirectUri, client.type);
    const hostParts = host && (await splitHost(host));
    const origin = await findOrigin(client, redirectUri === undefined);
    // a device hands nothing on
    const handedOn = redirectUri === undefined ? [] : await findHandedOn(client);
    const about = {
      prompt: asking,
      ...(requested.userCode !== undefined && { userCode: requested.userCode }),
    };
    const where = whereTo(settings, requested, consentDigest(asking));
    await renderPage(req, res, {
      view: toConfirm === undefined ? 'consent' : 'consent-confirm',
      status: statusOf(problem),
      uiLocales,
      formTargets: redirectUri === undefined ? [] : formTargetsOf(redirectUri),
      imageSources: imageSourcesOf(asking),
      locals: async (translator) => ({
        title: translator.text(toConfirm === undefined ? 'consent.title' : 'consent.confirmTitle', {
          client: client.name,
        }),
        csrfToken: personalCsrfTokenOf(req, userId),
        ...describeClient(asking, translator),
        hostParts,
        origin: describeOrigin(origin, translator, now),
        handedOn,
        ...where,
        // a device is never remembered, and a client that the host vouches for is not asked about
        canAskEachTime: redirectUri !== undefined && !client.isTrusted,
        isAskedEachTime: isConfirmedEachTime(problem),
        isOnDevice: client.describesItself && redirectUri !== undefined && isOnDevice(redirectUri),
        clientHost: redirectUri && (host ?? translator.text('consent.device')),
        userName: personLabel(settings, person),
        ...(toConfirm === undefined
          ? await describeRequest(
              asking,
              { ...before, user: person, userId, problem: toPick },
              settings,
              translator,
            )
          : await describeRisks(asking, toConfirm, settings, translator)),
        confirmationToken:
          toConfirm &&
          confirmationTokenOf(
            req,
            userId,
            confirmationDigest(about, { scopes: toConfirm.toConfirm, ...toConfirm }),
          ),
        resources: asking.resources.map((resource) => ({
          resource,
          name: settings.resources.get(resource)?.name ?? new URL(resource).host,
        })),
        takeBackPath: pathOf(settings, 'authorizations'),
        notice: noticeOf(problem, translator),
      }),
    });
  };
}

function askingOf(
  client: ConsentClient,
  {
    scopes,
    resources = [],
    authorizationDetails = [],
  }: Omit<CommonQuestion, 'client' | 'consented' | 'selectedBefore' | 'now'>,
  redirectUri: string | undefined,
): ConsentPrompt {
  const asking = { client, scopes, resources, authorizationDetails };
  return redirectUri === undefined ? asking : { ...asking, redirectUri };
}

function noticeOf(problem: FormProblem | undefined, { text }: Translator): string | undefined {
  if (toPickOf(problem) !== undefined) return text('consent.notPicked');
  return typeof problem === 'string' ? text(NOTICES[problem]) : undefined;
}

function isConfirmedEachTime(problem: FormProblem | undefined): boolean {
  return (toConfirmOf(problem) ?? toPickOf(problem)?.given)?.isAskedEachTime === true;
}

/** The page that asks a second time refuses nothing. */
function statusOf(problem: FormProblem | undefined): number {
  if (problem === undefined || toConfirmOf(problem)) return 200;
  if (problem === 'tooManyClients') return 429;
  return toPickOf(problem) ? REFUSED_STATUS : 403;
}

function toConfirmOf(problem: FormProblem | undefined): ConfirmationRequired | undefined {
  return typeof problem === 'object' && 'toConfirm' in problem ? problem : undefined;
}

function toPickOf(problem: FormProblem | undefined): SelectionRequired | undefined {
  return typeof problem === 'object' && 'toPick' in problem ? problem : undefined;
}

function redirectUriOf(requested: RequestQuestion | DeviceQuestion): string | undefined {
  return requested.userCode === undefined ? requested.redirectUri : undefined;
}

/** Where the form goes, and what it carries besides the decision. */
function whereTo(settings: Settings, requested: RequestQuestion | DeviceQuestion, displayed: string): Locals {
  return requested.userCode === undefined
    ? {
        action: pathOf(settings, 'authorize'),
        fields: { authorization_request: carryText(requested.authorizationRequest), shown: displayed },
      }
    : {
        action: pathOf(settings, 'device'),
        fields: { user_code: requested.userCode, shown: displayed },
        device: { userCode: requested.userCode },
      };
}

function imageSourcesOf(asking: ConsentPrompt): readonly string[] {
  const logo = findClientLogo(asking);
  return logo === undefined ? [] : [new URL(logo).origin];
}

/** Where the answer goes, in words a person can check; the URL parser writes look-alike letters of a host as xn--…. */
function clientHostOf(redirectUri: string | undefined, type: ConsentClient['type']): string | undefined {
  if (redirectUri === undefined) return undefined;
  const { protocol, host } = new URL(redirectUri);
  // RFC 8252 §7.3: a public client on loopback is an app; a confidential one is a web server in development
  return protocol === 'https:' || (protocol === 'http:' && type === 'confidential') ? host : undefined;
}
