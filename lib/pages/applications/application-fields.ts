import ejs from 'ejs';

import type { ClientMetadata } from '../../core/clients/client.js';
import { type ClientField, type TextByLanguage, valueOf } from '../../core/clients/client-field.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { hasField, listField, textField } from '../../core/http/form-fields.js';
import type { Translator } from '../rendering/translator.js';

/** Fields with a place and texts of their own in the form, with the names of their inputs. */
const TEXTS = {
  name: 'name',
  type: 'type',
  /** One per line. */
  redirectUris: 'redirect_uris',
  /** The redirect URIs of another kind of application, in case the user chooses it again. */
  otherRedirectUris: 'other_redirect_uris',
  /** The authentication of a confidential application. */
  authentication: 'authentication',
  /** JSON. */
  jwks: 'jwks',
  jwksUri: 'jwks_uri',
} as const;
const LISTS = { scopes: 'scope', grantTypes: 'grant_type' } as const;

/** The input of the form, unchanged if the form is displayed again. */
export type ApplicationValues = Readonly<Record<keyof typeof TEXTS, string>> &
  Readonly<Record<keyof typeof LISTS, readonly string[]>> & {
    /** The values of `formFieldsOf`, by field name; absent if the form has none. */
    readonly about?: Readonly<Record<string, string>>;
  };

export const EMPTY_VALUES: ApplicationValues = {
  name: '',
  type: 'confidential',
  redirectUris: '',
  otherRedirectUris: '',
  scopes: [],
  grantTypes: [],
  authentication: 'secret',
  jwks: '',
  jwksUri: '',
};

/** The owner's other fields, which the form builds from their rows. */
export function formFieldsOf(fields: readonly ClientField[]): readonly ClientField[] {
  const placed = [...Object.keys(TEXTS), ...Object.keys(LISTS), 'tokenEndpointAuthMethod'];
  return fields.filter(({ name, isOwners }) => isOwners && !placed.includes(name));
}

/** The name of a field's input: `client_uri`. */
export function nameInForm({ name }: ClientField): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The kind of input: from the row, otherwise by the type of the value. */
function inputKind({ input, stored: { type } }: ClientField) {
  if (input !== undefined) return input;
  if (type === Boolean) return 'box';
  if (type === Number) return 'number';
  return Array.isArray(type) ? 'lines' : 'line';
}

/**
 * Reads the values of a form. Fields from rows that a site's view omits stay unchanged.
 *
 * @throws OAuthError invalid_request if a field is repeated or nested
 */
export function readValues(body: unknown, fields: readonly ClientField[]): ApplicationValues {
  const texts = Object.entries(TEXTS).map(([value, name]) => [value, textField(body, name)] as const);
  const lists = Object.entries(LISTS).map(([value, name]) => [value, listField(body, name)] as const);
  const values = Object.fromEntries<unknown>([...texts, ...lists]) as unknown as ApplicationValues;
  const about = formFieldsOf(fields).flatMap((field): [string, string][] => {
    const name = nameInForm(field);
    if (!hasField(body, name)) return [];
    // a hidden field beside a checkbox says that the form has it
    const isBox = inputKind(field) === 'box';
    return [[field.name, isBox ? String(listField(body, name).includes('true')) : textField(body, name)]];
  });
  // a site's view may omit the choice of authentication; the default is a secret
  const authentication = values.authentication || 'secret';
  return { ...values, authentication, about: Object.fromEntries(about) };
}

/** The values as client metadata; an update removes fields that are undefined. */
export function toFieldMetadata(
  values: ApplicationValues['about'] = {},
  fields: readonly ClientField[],
): Partial<ClientMetadata> {
  const metadata = formFieldsOf(fields).flatMap((field): [string, unknown][] => {
    const typed = values[field.name]?.trim();
    if (typed === undefined) return [];
    const input = inputKind(field);
    let value: unknown = typed;
    // a text area has line breaks, but the application's page shows one line
    if (input === 'paragraph') value = typed.replaceAll(/\s+/g, ' ');
    if (input === 'lines') value = typed.split(/\s*[\r\n]+\s*/);
    if (input === 'number') value = Number(typed);
    if (input === 'box') value = typed === 'true' || undefined;
    return [[field.name, typed === '' ? undefined : value]];
  });
  return Object.fromEntries(metadata);
}

/** The fields as the form displays them. */
export function describeFormFields(
  values: ApplicationValues['about'] = {},
  fields: readonly ClientField[],
  translator: Translator,
) {
  const { markup, locale } = translator;
  return formFieldsOf(fields).map((field) => {
    const { meaning, example } = field;
    return {
      field: field.name,
      name: nameInForm(field),
      id: `application-${nameInForm(field).replaceAll('_', '-')}`,
      input: inputKind(field),
      value: values[field.name] ?? '',
      label: labelOf(field, translator),
      /** HTML, with the example set apart. */
      meaning:
        typeof meaning === 'string'
          ? markup(meaning, example === undefined ? {} : { example }, 'code')
          : meaning && ejs.escapeXML(inLanguage(meaning, locale)),
    };
  });
}

/** The label of a field; without one its name. */
export function labelOf(
  { name, label, wire }: Pick<ClientField, 'name' | 'label' | 'wire'>,
  { text, locale }: Translator,
): string {
  if (label === undefined) return wire?.name ?? name;
  return typeof label === 'string' ? text(label) : inLanguage(label, locale);
}

function inLanguage(texts: TextByLanguage, locale: string): string {
  return texts[locale] ?? texts.en;
}

/**
 * The fields on an application's page: those of the form (with labels of this package), and those without a place of
 * their own (with labels of the site).
 */
export function describeFields(client: ClientInfo, fields: readonly ClientField[], translator: Translator) {
  const about = formFieldsOf(fields).flatMap((field) => {
    const value = valueOf(client, field);
    return value === undefined || typeof field.label !== 'string'
      ? []
      : [{ label: labelOf(field, translator), value, isPage: field.input === 'url' }];
  });
  const others = fields.flatMap((field) => {
    const value = valueOf(client, field);
    if (field.label === undefined || typeof field.label === 'string' || value === undefined) return [];
    return [
      { label: labelOf(field, translator), value: typeof value === 'string' ? value : JSON.stringify(value) },
    ];
  });
  return { about, fields: others };
}
