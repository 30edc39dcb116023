import { createHash, randomUUID } from 'node:crypto';

import { scopeOf } from '../../core/authorization/decision.js';
import type { ClientMetadata } from '../../core/clients/client.js';
import type { ClientField, RegistrationLimits } from '../../core/clients/client-field.js';
import { findClientProblems } from '../../core/clients/client-metadata.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { NewClient } from '../../core/clients/registry/client-registry.js';
import type { ClientProblem } from '../../core/clients/validation-error.js';
import type { GrantType } from '../../core/grant-types/grant-type.js';
import { listField, textField } from '../../core/http/form-fields.js';
import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { describeScope, localize } from '../consent/describe-scopes.js';
import type { Translator } from '../rendering/translator.js';
import {
  type ApplicationValues,
  authenticationOf,
  type AuthenticationProblem,
  findAuthenticationProblem,
  formatKeySet,
  keysOf,
} from './application-authentication.js';
import { fieldValuesOf, readFormFields, toFieldMetadata } from './application-fields.js';

/** What is wrong with the form; `line` is the line of the redirect URIs that it is about. */
export type ApplicationFormProblem =
  AuthenticationProblem | (ClientProblem & { readonly line?: number; readonly uri?: string });

/** A box that can be checked, with words for people. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly explanation?: string;
  /** What it stands under. */
  readonly heading?: string | undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Each with the text of the pages, else with its own, else with its name alone. */
export function grantTypeChoices(
  names: readonly string[],
  grantTypes: readonly GrantType[],
  { find, locale }: Translator,
): readonly Choice[] {
  return names.map((value) => {
    const { texts = {} } = grantTypes.find(({ name }) => name === value) ?? {};
    const own = texts[locale] ?? texts.en;
    const label = find(`grantType.${value}`) ?? own?.label ?? value;
    const explanation = find(`grantType.${value}.meaning`) ?? own?.meaning;
    return { value, label, ...(explanation !== undefined && { explanation }) };
  });
}

/** Under the headings of the consent page, and as there: first those without one. */
export function scopeChoices(
  options: Settings['scopes'],
  scopes: readonly string[],
  { locale }: Translator,
): readonly Choice[] {
  const choices = scopes.map((value): Choice => ({
    value,
    label: describeScope(options, value, locale),
    heading: localize(scopeOf(options, value)?.group, locale),
  }));
  const headings = new Set([undefined, ...choices.map(({ heading }) => heading)]);
  return [...headings].flatMap((heading) => choices.filter((choice) => choice.heading === heading));
}

/** A form without a kind. No scope is ticked: an application may do what somebody has chosen, not what was left ticked. */
export function emptyValues(): ApplicationValues {
  return {
    name: '',
    type: 'confidential',
    redirectUris: '',
    scopes: [],
    grantTypes: [],
    authentication: 'secret',
    jwks: '',
    jwksUri: '',
  };
}

export function valuesOf(client: ClientInfo, fields: readonly ClientField[]): ApplicationValues {
  const { name, type, redirectUris, scopes, grantTypes, jwks, jwksUri = '' } = client;
  const keys = {
    authentication: authenticationOf({ ...(jwks && { jwks }), ...(jwksUri !== '' && { jwksUri }) }),
    jwks: jwks === undefined ? '' : formatKeySet(jwks),
    jwksUri,
  };
  return {
    name,
    type,
    redirectUris: redirectUris.join('\n'),
    scopes,
    grantTypes,
    ...keys,
    about: fieldValuesOf(client, fields),
  };
}

/** @throws OAuthError invalid_request if the body is not one of our form */
export function readValues(body: unknown, fields: readonly ClientField[]): ApplicationValues {
  return {
    name: textField(body, 'name'),
    type: textField(body, 'type'),
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
): Required<Pick<NewClient, 'name' | 'type' | 'redirectUris' | 'scopes' | 'grantTypes'>> &
  Partial<ClientMetadata> {
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

export function findProblems(
  values: ApplicationValues,
  limits: RegistrationLimits,
  fields: readonly ClientField[],
): readonly ApplicationFormProblem[] {
  const typed = findAuthenticationProblem(values);
  const lines = linesOf(values.redirectUris);
  const found = findClientProblems(
    { ...toMetadata(values, fields), trusted: false, ...(typed === undefined && keysOf(values)) },
    limits,
    fields,
  );
  return [
    ...found.map((problem) => ({ ...problem, ...(problem.index !== undefined && lines[problem.index]) })),
    ...(typed === undefined ? [] : [typed]),
  ];
}

/** The id that the form carries, or a new one for a form of the site's own view that carries none. */
export function readSubmission(body: unknown): string {
  const submission = textField(body, 'submission');
  return UUID.test(submission) ? submission : randomUUID();
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
