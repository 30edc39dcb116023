import { createHash } from 'node:crypto';

import { scopeOf } from '../../core/authorization/decision.js';
import type { ClientMetadata, PublicJwks } from '../../core/clients/client.js';
import { type ClientField, type RegistrationLimits, valueOf } from '../../core/clients/client-field.js';
import { findClientProblems } from '../../core/clients/client-metadata.js';
import { parsePublicJwks } from '../../core/clients/public-jwks.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { allowExistingValues } from '../../core/clients/registry/update-client.js';
import type { ClientProblem } from '../../core/clients/validation-error.js';
import type { GrantType } from '../../core/grant-types/grant-type.js';
import { listField, textField } from '../../core/http/form-fields.js';
import type { MessageKey } from '../../messages/index.js';
import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import type { Visit } from '../account-pages.js';
import { describeScope, localize } from '../consent/describe-scopes.js';
import { answerRefused, type TypedForm } from '../form-answers.js';
import type { Translator } from '../rendering/translator.js';
import { type ApplicationsContext, isAdministrator } from './application-access.js';
import { type FieldValues, formFieldsOf, readFormFields, toFieldMetadata } from './application-fields.js';

/** What the form holds, kept as it was typed if it has to be shown again. */
export interface ApplicationValues {
  readonly name: string;
  readonly type: string;
  /** One per line. */
  readonly redirectUris: string;
  /** Those that were typed for another kind of application, in case it is chosen again. */
  readonly otherRedirectUris?: string;
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  /** How a confidential application authenticates. */
  readonly authentication: string;
  /** JSON. */
  readonly jwks: string;
  readonly jwksUri: string;
  /** The fields that the form has from their rows. Absent: it has none of them. */
  readonly about?: FieldValues;
}

/** What is wrong with the form; `line` is the line of the redirect URIs that it is about. */
export type ApplicationFormProblem =
  | (ClientProblem & { readonly line?: number; readonly uri?: string })
  | {
      readonly field: ClientProblem['field'];
      /** Found before there is metadata. */
      readonly reason: 'authenticationUnknown' | 'jwksMissing' | 'jwksNoJson' | 'jwksUriMissing';
    };

/** The id of a submission of the form. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Characters of a refused redirect URI that are shown. */
const MAX_DISPLAYED = 200;

/** Each with the text of the pages, else with its own, else with its name alone. */
export function grantTypeChoices(
  names: readonly string[],
  grantTypes: readonly GrantType[],
  { find, locale }: Translator,
) {
  return names.map((value) => {
    const { texts = {} } = grantTypes.find(({ name }) => name === value) ?? {};
    const own = texts[locale] ?? texts.en;
    return {
      value,
      label: find(`grantType.${value}`) ?? own?.label ?? value,
      explanation: find(`grantType.${value}.meaning`) ?? own?.meaning,
    };
  });
}

/** Under the headings of the consent page, and as there: first those without one. */
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
  const { jwks, jwksUri = '' } = client;
  return {
    name: client.name,
    type: client.type,
    redirectUris: client.redirectUris.join('\n'),
    scopes: client.scopes,
    grantTypes: client.grantTypes,
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

/** How a confidential application authenticates, as the form calls it. */
export function authenticationOf({ jwks, jwksUri = '' }: ClientInfo): 'secret' | 'jwks' | 'jwks_uri' {
  if (jwks !== undefined) return 'jwks';
  return jwksUri === '' ? 'secret' : 'jwks_uri';
}

/** @throws OAuthError invalid_request if the body is not one of our form */
export function readValues(
  { req: { body } }: Visit,
  fields: readonly ClientField[],
  client?: ClientInfo,
): ApplicationValues {
  // read in any case: a field that stands twice is refused
  const type = textField(body, 'type');
  return {
    name: textField(body, 'name'),
    // that of a client does not change
    type: client?.type ?? type,
    redirectUris: textField(body, 'redirect_uris'),
    otherRedirectUris: textField(body, 'other_redirect_uris'),
    scopes: listField(body, 'scope'),
    grantTypes: listField(body, 'grant_type'),
    // a form without these fields, such as that of a site's own view, means a secret
    authentication: textField(body, 'authentication') || 'secret',
    jwks: textField(body, 'jwks'),
    jwksUri: textField(body, 'jwks_uri'),
    about: readFormFields(body, fields),
  };
}

/**
 * The metadata that the values stand for. What only the site may decide (trusted, owner, id) is never read
 * from a form.
 */
export function toMetadata(
  { name, type, redirectUris, scopes, grantTypes, about }: ApplicationValues,
  fields: readonly ClientField[],
) {
  return {
    name: name.trim(),
    // findClientProblems checks whether it is one of the two
    type: type as ClientMetadata['type'],
    redirectUris: linesOf(redirectUris).map(({ uri }) => uri),
    scopes,
    grantTypes,
    ...toFieldMetadata(about, fields),
  };
}

/** The redirect URIs with the numbers of their lines, as a user counts them. */
function linesOf(redirectUris: string): readonly { readonly uri: string; readonly line: number }[] {
  return redirectUris
    .split(/\r\n|\r|\n/)
    .map((text, index) => ({ uri: text.trim(), line: index + 1 }))
    .filter(({ uri }) => uri !== '');
}

/** The metadata of the keys of a new application. */
export function keysOf({ type, authentication, jwks, jwksUri }: ApplicationValues): Partial<ClientMetadata> {
  if (type !== 'confidential') return {};
  if (authentication === 'jwks') return { jwks: parseKeySet(jwks) as ClientMetadata['jwks'] };
  return authentication === 'jwks_uri' ? { jwksUri: jwksUri.trim() } : {};
}

/**
 * What a change of the form means for a client: nothing if its authentication stays as it is, whatever its
 * method. An update removes fields that are present but undefined.
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

/** A single key, as many tools print it, is taken as a set of one. */
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

/** All that is wrong with a form: with its values, and with a name that belongs to another application. */
export async function findProblems(
  { clients }: ApplicationsContext,
  visit: Visit,
  values: ApplicationValues,
  { limits, client }: { readonly limits: RegistrationLimits; readonly client?: ClientInfo },
): Promise<readonly ApplicationFormProblem[]> {
  // what findClientProblems cannot say, because it gets no keys then
  const { type, authentication, jwks, jwksUri } = values;
  let typed: ApplicationFormProblem | undefined;
  if (type === 'confidential' && authentication === 'jwks_uri') {
    if (jwksUri.trim() === '') typed = { field: 'jwksUri', reason: 'jwksUriMissing' };
  } else if (type === 'confidential' && authentication === 'jwks') {
    if (jwks.trim() === '') typed = { field: 'jwks', reason: 'jwksMissing' };
    else if (parseKeySet(jwks) === undefined) typed = { field: 'jwks', reason: 'jwksNoJson' };
  } else if (type === 'confidential' && authentication !== 'secret')
    typed = { field: 'tokenEndpointAuthMethod', reason: 'authenticationUnknown' };
  const lines = linesOf(values.redirectUris);
  const metadata = toMetadata(values, clients.fields);
  const keys = typed === undefined ? keysOf(values) : {};
  const problems: ApplicationFormProblem[] = findClientProblems(
    { ...metadata, trusted: false, ...keys },
    limits,
    clients.fields,
  ).map((problem) => (problem.index === undefined ? problem : { ...problem, ...lines[problem.index] }));
  if (typed !== undefined) problems.push(typed);
  if (isAdministrator(visit) || problems.some(({ field }) => field === 'name')) return problems;
  const ownerId = client?.ownerId ?? visit.userId;
  const taken = await clients.findNameProblem({ ...metadata, clientId: client?.clientId, ownerId }, client);
  return taken === undefined ? problems : [taken, ...problems];
}

/** The limits that a form is checked against: administrators speak for the site. */
export async function limitsFor(
  { clients }: ApplicationsContext,
  visit: Visit,
  client?: ClientInfo,
): Promise<RegistrationLimits> {
  const limits = isAdministrator(visit) ? clients.limits : await clients.ownerLimitsOf(client?.clientId);
  return client === undefined ? limits : allowExistingValues(limits, client);
}

/** A problem that we have no text for (our forms cause none) is shown as the registry says it, in English. */
export function describeProblem(problem: ApplicationFormProblem, { text }: Translator) {
  const { field, reason } = problem;
  const { line, uri = '' } = 'line' in problem ? problem : {};
  return {
    field,
    problem:
      reason === undefined
        ? problem.problem
        : text(`problem.${reason}` satisfies MessageKey, 'values' in problem ? problem.values : undefined),
    line,
    uri: uri.slice(0, MAX_DISPLAYED),
  };
}

/**
 * Answers a form with the GET that shows what was typed, or directly if what was pasted as keys is not a set of public
 * keys: it may be a private key, and the session is no place for that.
 */
export async function answerTyped<Typed extends { readonly values: ApplicationValues }>(
  visit: Visit,
  typed: TypedForm<Typed>,
  answer: () => Promise<void>,
): Promise<void> {
  const { value } = typed;
  const { jwks } = value.values;
  const keys = jwks.trim() === '' ? undefined : parsePublicJwks(parseKeySet(jwks));
  if (keys !== undefined && !('keys' in keys)) return answer();
  const values = { ...value.values, jwks: keys === undefined ? '' : formatKeySet(keys) };
  await answerRefused(visit, { ...typed, value: { ...value, values } }, answer);
}

/**
 * The id of the client that one submission of the form makes: the same if the form is sent twice, another one for
 * another owner, and never one that a user could choose, such as that of a deleted client.
 *
 * @throws OAuthError invalid_request if the submission's id is not one that our form carries
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
