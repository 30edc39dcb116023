import ejs from 'ejs';

import type { ClientMetadata } from '../../core/clients/client.js';
import { type ClientField, type TextByLanguage, valueOf } from '../../core/clients/client-field.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { hasField, listField, textField } from '../../core/http/form-fields.js';
import type { Translator } from '../rendering/translator.js';

/** The fields that the form has a place and words of its own for: what it calls each of them. */
const TEXTS = {
  name: 'name',
  type: 'type',
  /** One per line. */
  redirectUris: 'redirect_uris',
  /** Those that were typed for another kind of application, in case it is chosen again. */
  otherRedirectUris: 'other_redirect_uris',
  /** How a confidential application authenticates. */
  authentication: 'authentication',
  /** JSON. */
  jwks: 'jwks',
  jwksUri: 'jwks_uri',
} as const;
const LISTS = { scopes: 'scope', grantTypes: 'grant_type' } as const;

/** What the form holds, kept as it was typed if it has to be shown again. */
export type ApplicationValues = Readonly<Record<keyof typeof TEXTS, string>> &
  Readonly<Record<keyof typeof LISTS, readonly string[]>> & {
    /** The fields that the form has from their rows, by the name of the field. Absent: it has none of them. */
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

/** The fields that the form has from their rows: all others that are the owner's. */
export function formFieldsOf(fields: readonly ClientField[]): readonly ClientField[] {
  const placed = [...Object.keys(TEXTS), ...Object.keys(LISTS), 'tokenEndpointAuthMethod'];
  return fields.filter(({ name, isOwners }) => isOwners && !placed.includes(name));
}

/** How the form calls a field: `client_uri`. */
export function nameInForm({ name }: ClientField): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What it is typed into: what its row says, otherwise what suits a value of its type. */
function inputOf({ input, stored: { type } }: ClientField) {
  if (input !== undefined) return input;
  if (type === Boolean) return 'box';
  if (type === Number) return 'number';
  return Array.isArray(type) ? 'lines' : 'line';
}

/**
 * What a form says. Fields from rows that it lacks, as one of a site's own view may, are left out and stay as they are.
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
    // a box is sent beside a hidden field, which says that the form has it
    const isBox = inputOf(field) === 'box';
    return [[field.name, isBox ? String(listField(body, name).includes('true')) : textField(body, name)]];
  });
  // a form of a site's own view may have no choice of authentication, which means a secret
  const authentication = values.authentication || 'secret';
  return { ...values, authentication, about: Object.fromEntries(about) };
}

/** As they are registered; a field that is present but undefined is removed. */
export function toFieldMetadata(
  values: ApplicationValues['about'] = {},
  fields: readonly ClientField[],
): Partial<ClientMetadata> {
  const metadata = formFieldsOf(fields).flatMap((field): [string, unknown][] => {
    const typed = values[field.name]?.trim();
    if (typed === undefined) return [];
    const input = inputOf(field);
    let value: unknown = typed;
    // a text area has lines, and a page that shows it later has one
    if (input === 'paragraph') value = typed.replaceAll(/\s+/g, ' ');
    if (input === 'lines') value = typed.split(/\s*[\r\n]+\s*/);
    if (input === 'number') value = Number(typed);
    if (input === 'box') value = typed === 'true' || undefined;
    return [[field.name, typed === '' ? undefined : value]];
  });
  return Object.fromEntries(metadata);
}

/** The fields as the form shows them. */
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
      input: inputOf(field),
      value: values[field.name] ?? '',
      label: labelOf(field, translator),
      /** As HTML: an example is set apart. */
      meaning:
        typeof meaning === 'string'
          ? markup(meaning, example === undefined ? {} : { example }, 'code')
          : meaning && ejs.escapeXML(inLanguage(meaning, locale)),
    };
  });
}

/** What a field is called on the pages; one without words by its name. */
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
 * What the page of an application shows of its fields: what it says of itself (the label is one of our texts), and the
 * fields that have no place of their own on the page (the site has given the label).
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
