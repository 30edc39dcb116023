import { createHash, randomUUID } from 'node:crypto';

import type { ClientMetadata, PublicJwks } from '../../core/clients/client.js';
import { type ClientField, valueOf } from '../../core/clients/client-field.js';
import { findClientProblems } from '../../core/clients/client-metadata.js';
import { parsePublicJwks } from '../../core/clients/public-jwks.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { allowExistingValues } from '../../core/clients/registry/update-client.js';
import type { ClientProblem } from '../../core/clients/validation-error.js';
import type { GrantType } from '../../core/grant-types/grant-type.js';
import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { accountPath, renderAccountPage, type Visit } from '../account-pages.js';
import { scopeOf } from '../consent/decision.js';
import { describeScope, localize } from '../consent/describe-scopes.js';
import { answerRefused } from '../form-answers.js';
import type { Translator } from '../rendering/translator.js';
import { type ApplicationsContext, isAdministrator } from './application-access.js';
import {
  type ApplicationValues,
  describeFormFields,
  EMPTY_VALUES,
  formFieldsOf,
  readValues,
  toFieldMetadata,
} from './application-fields.js';
import { describeKind, possibleKinds } from './application-kinds.js';
import { endsApproval } from './application-owners.js';

/** Fields whose problems unfold the technical settings. */
const TECHNICAL = ['type', 'grantTypes', 'tokenEndpointAuthMethod', 'jwks', 'jwksUri'];

/** A problem of the form; `line` is the number of the redirect URI's line. */
type FormProblem = ClientProblem & { readonly line?: number; readonly uri?: string };

/** The id of a submission of the form. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Maximum length of a refused redirect URI on the page. */
const MAX_DISPLAYED = 200;

/** Each grant type with the text of the pages; otherwise with its own text, or its name. */
export function grantTypeChoices(
  names: readonly string[],
  grantTypes: readonly GrantType[],
  { find, locale }: Translator,
) {
  return names.map((value) => {
    const { texts = {} } = grantTypes.find(({ name }) => name === value) ?? {};
    const text = texts[locale] ?? texts.en;
    return {
      value,
      label: find(`grantType.${value}`) ?? text?.label ?? value,
      explanation: find(`grantType.${value}.meaning`) ?? text?.meaning,
    };
  });
}

/** The scopes, grouped by the headings of the consent page; scopes without a heading first. */
export function scopeChoices(options: Settings['scopes'], scopes: readonly string[], { locale }: Translator) {
  const choices = scopes.map((value) => ({
    value,
    label: describeScope(options, value, locale),
    heading: localize(scopeOf(options, value)?.group, locale),
  }));
  const headings = new Set([undefined, ...choices.map(({ heading }) => heading)]);
  return [...headings].flatMap((heading) => choices.filter((choice) => choice.heading === heading));
}

export function valuesOf(client: ClientInfo, fields: readonly ClientField[]): ApplicationValues {
  const { name, type, redirectUris, scopes, grantTypes, jwks, jwksUri = '' } = client;
  return {
    ...EMPTY_VALUES,
    name,
    type,
    redirectUris: redirectUris.join('\n'),
    scopes,
    grantTypes,
    authentication: authenticationOf(client),
    jwks: jwks === undefined ? '' : formatKeySet(jwks),
    jwksUri,
    about: Object.fromEntries(
      formFieldsOf(fields).map((field): [string, string] => {
        const value = valueOf(client, field) as string | number | boolean | readonly string[] | undefined;
        return [field.name, Array.isArray(value) ? value.join('\n') : String(value ?? '')];
      }),
    ),
  };
}

/** The form's name for a confidential application's authentication. */
export function authenticationOf({ jwks, jwksUri = '' }: ClientInfo): 'secret' | 'jwks' | 'jwks_uri' {
  if (jwks !== undefined) return 'jwks';
  return jwksUri === '' ? 'secret' : 'jwks_uri';
}

/** The values as client metadata. A form never sets fields that only the site decides (trusted, owner, id). */
export function toMetadata(
  { name, type, redirectUris, scopes, grantTypes, about }: ApplicationValues,
  fields: readonly ClientField[],
) {
  return {
    name: name.trim(),
    // findClientProblems checks the type
    type: type as ClientMetadata['type'],
    redirectUris: linesOf(redirectUris).map(({ uri }) => uri),
    scopes,
    grantTypes,
    ...toFieldMetadata(about, fields),
  };
}

/** The redirect URIs with their line numbers, counted from 1. */
function linesOf(redirectUris: string): readonly { readonly uri: string; readonly line: number }[] {
  return redirectUris
    .split(/\r\n|\r|\n/)
    .map((text, index) => ({ uri: text.trim(), line: index + 1 }))
    .filter(({ uri }) => uri !== '');
}

/** The key fields of a new application. */
export function keysOf({ type, authentication, jwks, jwksUri }: ApplicationValues): Partial<ClientMetadata> {
  if (type !== 'confidential') return {};
  if (authentication === 'jwks') return { jwks: parseKeySet(jwks) as ClientMetadata['jwks'] };
  return authentication === 'jwks_uri' ? { jwksUri: jwksUri.trim() } : {};
}

/**
 * The changes of a client's key fields: none while its authentication stays the same, whatever the method. An update
 * removes fields that are undefined.
 */
export function changedKeysOf(values: ApplicationValues, current: ClientInfo): Partial<ClientMetadata> {
  if (values.type !== 'confidential') return {};
  const hadSecret = authenticationOf(current) === 'secret';
  const isSecret = values.authentication === 'secret';
  if (isSecret && hadSecret) return {};
  const method = hadSecret ? 'private_key_jwt' : current.tokenEndpointAuthMethod;
  return {
    jwks: undefined,
    jwksUri: undefined,
    tokenEndpointAuthMethod: isSecret ? undefined : method,
    ...keysOf(values),
  };
}

export function formatKeySet({ keys }: PublicJwks): string {
  return JSON.stringify({ keys }, null, 2);
}

/** Accepts a single key, as many tools print it, as a set of one. */
function parseKeySet(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return value !== null && typeof value === 'object' && 'kty' in value && !('keys' in value)
      ? { keys: [value] }
      : value;
  } catch {
    return undefined;
  }
}

/** The content of the form. */
export interface FormPage {
  readonly values: ApplicationValues;
  readonly problems?: readonly FormProblem[];
  /** For a registration: the kind of application of the values. */
  readonly kind?: string | undefined;
  /** Whether the user has just chosen the kind. */
  readonly isKindChosen?: boolean;
  /** The maximum number of applications, if the user has reached it. */
  readonly quota?: number | undefined;
  /** For a registration: the id that makes a repeated submission harmless. */
  readonly submission?: string | undefined;
  /** Whether the form is from another session, and displayed as submitted. */
  readonly isOutOfDate?: boolean;
}

/**
 * The form of a new application, or of an existing client. Administrators use the site's limits; owners those that the
 * site sets for developers.
 */
export async function openForm(context: ApplicationsContext, visit: Visit, client?: ClientInfo) {
  const { settings, clients, root, grantTypes } = context;
  const { fields } = clients;
  const isHost = isAdministrator(visit);
  const chosen = isHost ? clients.limits : await clients.ownerLimitsOf(client?.clientId);
  const limits = client === undefined ? chosen : allowExistingValues(chosen, client);

  /** The problems of a form's values, including a name that belongs to another application. */
  const findProblems = async (values: ApplicationValues): Promise<readonly FormProblem[]> => {
    const { type, authentication, jwks, jwksUri } = values;
    const lines = linesOf(values.redirectUris);
    const metadata = toMetadata(values, fields);
    // problems that findClientProblems does not see, because it gets no keys then
    let typed: ClientProblem | undefined;
    if (type === 'confidential' && authentication === 'jwks_uri') {
      if (jwksUri.trim() === '')
        typed = { field: 'jwksUri', problem: 'is missing', reason: 'jwksUriMissing' };
    } else if (type === 'confidential' && authentication === 'jwks') {
      if (jwks.trim() === '') typed = { field: 'jwks', problem: 'is missing', reason: 'jwksMissing' };
      else if (parseKeySet(jwks) === undefined)
        typed = { field: 'jwks', problem: 'is no JSON', reason: 'jwksNoJson' };
    } else if (type === 'confidential' && authentication !== 'secret')
      typed = {
        field: 'tokenEndpointAuthMethod',
        problem: 'is unknown',
        reason: 'authenticationUnknown',
      };
    const keys = typed === undefined ? keysOf(values) : {};
    const clientProblems = findClientProblems({ ...metadata, trusted: false, ...keys }, limits, fields);
    const problems: FormProblem[] = [
      ...clientProblems.map((each) => ({ ...each, ...lines[each.index ?? -1] })),
      ...(typed ? [typed] : []),
    ];
    if (isHost || problems.some(({ field }) => field === 'name')) return problems;
    const ownerId = client?.ownerId ?? visit.userId;
    const taken = await clients.findNameProblem({ ...metadata, clientId: client?.clientId, ownerId }, client);
    return taken === undefined ? problems : [taken, ...problems];
  };

  const render = ({ values, problems = [], kind, quota, ...page }: FormPage) =>
    renderAccountPage(context, visit, {
      view: 'application-form',
      isOutOfDate: page.isOutOfDate,
      isRefused: problems.length > 0 || quota !== undefined,
      locals: (translator) => {
        const { text } = translator;
        // a problem without a text, which no form of this package causes, is displayed in the registry's English
        const described = problems.map(({ field, reason, line, uri = '', ...each }) => ({
          field,
          problem: reason === undefined ? each.problem : text(`problem.${reason}`, each.values),
          line,
          uri: uri.slice(0, MAX_DISPLAYED),
        }));
        return {
          title: client ? text('form.edit', { client: client.name }) : text('applications.register'),
          action: client ? accountPath(context, client.clientId, '/edit') : root,
          back: client ? accountPath(context, client.clientId) : root,
          isNew: client === undefined,
          submission: page.submission ?? randomUUID(),
          ...describeKind(kind, values, client === undefined ? possibleKinds(limits) : [], translator),
          // folded while the kind implies the settings, and without problems or keys
          showsTechnical:
            kind === undefined ||
            values.authentication !== 'secret' ||
            problems.some(({ field }) => TECHNICAL.includes(field)),
          kindAction: `${root}/new`,
          isKindChosen: page.isKindChosen === true,
          // whether an enabled method authenticates by keys
          hasKeys:
            client?.type !== 'public' &&
            limits.methods.some(
              ({ name, credential }) =>
                credential === 'keys' && limits.tokenEndpointAuthMethods?.includes(name) === true,
            ),
          values,
          about: describeFormFields(values.about, fields, translator),
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

  return {
    limits,
    /** The type of a client never changes. */
    read: () => ({ ...readValues(visit.req.body, fields), ...(client && { type: client.type }) }),
    findProblems,
    render,
    /**
     * Redirects to the GET that displays the values. If the pasted keys are no set of public keys, the POST renders
     * them instead: they may be a private key, which a session must not store.
     */
    async refuse(path: string, page: FormPage, draft?: { readonly name: string; readonly life: number }) {
      // the GET finds the problems again, in its own language
      const { problems, ...value } = page;
      const { jwks } = page.values;
      const keys = jwks.trim() === '' ? undefined : parsePublicJwks(parseKeySet(jwks));
      if (keys !== undefined && !('keys' in keys)) return render(page);
      const values = { ...page.values, jwks: keys === undefined ? '' : formatKeySet(keys) };
      await answerRefused(visit, { path, ...draft, value: { ...value, values } }, () => render(page));
    },
  };
}

/**
 * The id of the client that a form makes: the same if the form is sent twice, different for another owner, and never of
 * the user's choice, such as the id of a deleted client.
 *
 * @throws OAuthError invalid_request if the submission has no valid id
 * @see RFC 9562 §5.8
 */
export function clientIdOf(submission: string, ownerId: string): string {
  if (!UUID.test(submission))
    throw new OAuthError('invalid_request', 'the form has no submission id of ours');
  const bytes = createHash('sha256')
    .update(JSON.stringify([submission, ownerId]))
    .digest()
    .subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
