import { randomUUID } from 'node:crypto';

import type { RegistrationLimits } from '../../core/clients/client-field.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { accountPath, renderAccountPage, type Visit } from '../account-pages.js';
import { type ApplicationsContext, isAdministrator } from './application-access.js';
import { describeFormFields } from './application-fields.js';
import {
  type ApplicationFormProblem,
  type ApplicationValues,
  describeProblem,
  grantTypeChoices,
  scopeChoices,
} from './application-form.js';
import { describeKind, possibleKinds } from './application-kinds.js';
import { endsApproval } from './application-owners.js';

/** What the form is shown with. */
export interface FormPage {
  readonly values: ApplicationValues;
  /** What can be chosen. */
  readonly limits: RegistrationLimits;
  readonly problems?: readonly ApplicationFormProblem[];
  /** For a registration: the kind of application that the values stand for. */
  readonly kind?: string;
  /** Whether the kind was chosen just now. */
  readonly isKindChosen?: boolean;
  /** How many applications a user may have, if that is why they get no other one. */
  readonly quota?: number;
  /** For a registration: the id that makes sending it twice harmless. */
  readonly submission?: string;
  /** For a change: the client that is changed. */
  readonly client?: ClientInfo;
  /** Whether it was sent from another session, and is shown as it was filled in. */
  readonly isOutOfDate?: boolean;
}

const TECHNICAL = ['type', 'grantTypes', 'tokenEndpointAuthMethod', 'jwks', 'jwksUri'];

/** Renders the form of a new application, or of one that is changed. */
export async function renderForm(context: ApplicationsContext, visit: Visit, form: FormPage): Promise<void> {
  const { settings, clients, root, grantTypes } = context;
  const { values, limits, problems = [], kind, quota, client } = form;
  const { methods, tokenEndpointAuthMethods = [] } = limits;
  const isHost = isAdministrator(visit);
  await renderAccountPage(context, visit, {
    view: 'application-form',
    isOutOfDate: form.isOutOfDate,
    isRefused: problems.length > 0 || quota !== undefined,
    locals: (translator) => {
      const { text } = translator;
      const described = problems.map((problem) => describeProblem(problem, translator));
      return {
        title: client ? text('form.edit', { client: client.name }) : text('applications.register'),
        action: client ? accountPath(context, client.clientId, '/edit') : root,
        back: client ? accountPath(context, client.clientId) : root,
        isNew: client === undefined,
        submission: form.submission ?? randomUUID(),
        ...describeKind(kind, values, client === undefined ? possibleKinds(limits) : [], translator),
        // folded while its kind says it all, and there is no problem in it and no key
        showsTechnical:
          kind === undefined ||
          values.authentication !== 'secret' ||
          problems.some(({ field }) => TECHNICAL.includes(field)),
        kindAction: `${root}/new`,
        isKindChosen: form.isKindChosen === true,
        // whether a method is on with which applications prove that they have their keys
        hasKeys:
          client?.type !== 'public' &&
          methods.some(
            ({ name, credential }) => credential === 'keys' && tokenEndpointAuthMethods.includes(name),
          ),
        values,
        about: describeFormFields(values.about, clients.fields, translator),
        isVerified: client?.verified === true && !isHost,
        endsApproval: client !== undefined && !isHost && endsApproval(settings, client),
        problems:
          quota === undefined
            ? described
            : [...described, { field: 'name', problem: text('applications.tooMany', { count: quota }) }],
        scopeChoices: scopeChoices(settings.scopes, limits.scopes, translator),
        grantTypeChoices: grantTypeChoices(limits.grantTypes, grantTypes, translator),
      };
    },
  });
}
