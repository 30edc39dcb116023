import type { ClientMetadata } from '../../core/clients/client.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { AboutField } from '../../core/clients/validation/about-checks.js';
import { hasField, textField } from '../../core/http/form-fields.js';
import type { MessageKey } from '../../messages/index.js';
import type { Translator } from '../rendering/translator.js';

/** What an application says about itself besides its name: the fields of clients, as they were typed. */
export type AboutValues = Readonly<Partial<Record<AboutField, string>>>;

type About = Partial<Pick<ClientMetadata, AboutField>>;

/** The fields, with their names in the form. */
const ABOUT: readonly {
  readonly field: AboutField;
  readonly name: string;
  readonly label: MessageKey;
  readonly meaning: MessageKey;
  readonly example?: string;
}[] = [
  {
    field: 'description',
    name: 'description',
    label: 'form.description',
    meaning: 'form.descriptionMeaning',
  },
  {
    field: 'clientUri',
    name: 'client_uri',
    label: 'consent.clientUri',
    meaning: 'form.pageMeaning',
    example: 'https://app.example/',
  },
  {
    field: 'logoUri',
    name: 'logo_uri',
    label: 'form.logoUri',
    meaning: 'form.logoUriMeaning',
    example: 'https://app.example/logo.png',
  },
  {
    field: 'policyUri',
    name: 'policy_uri',
    label: 'consent.policyUri',
    meaning: 'form.pageMeaning',
    example: 'https://app.example/privacy',
  },
  {
    field: 'tosUri',
    name: 'tos_uri',
    label: 'consent.tosUri',
    meaning: 'form.pageMeaning',
    example: 'https://app.example/terms',
  },
];

/** The names of the fields in the form. */
export const ABOUT_NAMES = ABOUT.map(({ name }) => name);

/**
 * What a form says. Fields that it lacks, as one of a host's own view may, are left out and stay as they are.
 *
 * @throws OAuthError invalid_request if a field is repeated or nested
 */
export function readAbout(body: unknown): AboutValues {
  const sent = ABOUT.filter(({ name }) => hasField(body, name));
  return Object.fromEntries(sent.map(({ field, name }) => [field, textField(body, name)]));
}

export function aboutOf(client: ClientInfo): AboutValues {
  return Object.fromEntries(ABOUT.map(({ field }) => [field, client[field] ?? '']));
}

/** As it is registered; a field that is present but undefined is removed. */
export function toAbout(values: AboutValues = {}): About {
  const given = Object.entries(values).map(([field, typed]): [string, string | undefined] => {
    // a text area has lines, and a page that shows it later has one
    const value = typed.trim().replace(/\s+/g, field === 'description' ? ' ' : '$&');
    return [field, value === '' ? undefined : value];
  });
  return Object.fromEntries(given);
}

/** The fields as the form shows them. */
export function aboutFields(values: AboutValues = {}, { text, markup }: Translator) {
  return ABOUT.map(({ field, name, label, meaning, example }) => ({
    field,
    name,
    id: `application-${name.replace('_', '-')}`,
    value: values[field] ?? '',
    label: text(label),
    meaning: example === undefined ? text(meaning) : markup(meaning, { example }, 'code'),
  }));
}

/** What an application says of itself, for its own page. */
export function describeAbout(client: ClientInfo, { text }: Translator) {
  return ABOUT.flatMap(({ field, label }) => {
    const value = client[field];
    return value === undefined ? [] : [{ label: text(label), value, isPage: field !== 'description' }];
  });
}
