import { z } from 'zod';

import { lazy } from '../../shared/lazy.js';
import type { RegistrationDetails } from './client.js';
import { type ClientField, field, type FieldRow, fieldsOf, type MetadataOf } from './client-field.js';
import { descriptionProblems, isAtOwnHost, pageProblems } from './validation/about-checks.js';
import { publisherProblems } from './validation/client-checks.js';
import { page, shortText, textSchema } from './validation/schemas.js';

/** What users are told about a client. One that registers itself gives these among its details, below. */
export const aboutRows = {
  /** What the client is for, at most 200 characters. The consent page shows it for a verified client. */
  description: field<string>({
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: 'if-extended',
    findProblems: descriptionProblems,
    isOwners: true,
    flag: { flags: '--description <text>', description: 'what it is for, in a sentence' },
    printed: { label: 'description' },
    label: 'form.description',
    meaning: 'form.descriptionMeaning',
    input: 'paragraph',
  }),
  /** Who stands behind a verified client, at most 100 characters: pages say “Published by …”. Default: none. */
  publisher: field<string>({
    shape: textSchema,
    stored: { type: String },
    findProblems: publisherProblems,
    flag: {
      flags: '--publisher <name>',
      description: 'who stands behind it, as you have found out: with --verified, and the pages say so',
      negated: { flags: '--no-publisher', description: 'takes that back' },
    },
    printed: { label: 'published by' },
    label: 'application.publisher',
  }),
  /**
   * Its home page: an https: URL, or http: on loopback. The consent page links to it for a verified client, or if its
   * redirect URI has that host. (RFC 7591 §2, §5)
   */
  clientUri: pageRow('clientUri', ['--client-uri <url>', 'home page'], {
    label: 'consent.clientUri',
    meaning: 'form.pageMeaning',
    example: 'https://app.example/',
  }),
  /** Its logo: a URL as `clientUri`, shown under the same condition. */
  logoUri: pageRow('logoUri', ['--logo-uri <url>', 'logo'], {
    label: 'form.logoUri',
    meaning: 'form.logoUriMeaning',
    example: 'https://app.example/logo.png',
  }),
  /** Its privacy policy, as `clientUri`. */
  policyUri: pageRow('policyUri', ['--policy-uri <url>', 'privacy policy'], {
    label: 'consent.policyUri',
    meaning: 'form.pageMeaning',
    example: 'https://app.example/privacy',
  }),
  /** Its terms of service, as `clientUri`. */
  tosUri: pageRow('tosUri', ['--tos-uri <url>', 'terms of service'], {
    label: 'consent.tosUri',
    meaning: 'form.pageMeaning',
    example: 'https://app.example/terms',
  }),
};

declare module './client.js' {
  interface ClientMetadata extends MetadataOf<typeof aboutRows> {}
}

/** What a client says about itself when it registers. It is kept below `registration.details`, and given back to it. */
export const DETAIL_FIELDS: readonly ClientField[] = fieldsOf({
  clientUri: { shape: page, stored: { type: String }, wire: { name: 'client_uri' } },
  logoUri: { shape: page, stored: { type: String }, wire: { name: 'logo_uri' } },
  tosUri: { shape: page, stored: { type: String }, wire: { name: 'tos_uri' } },
  policyUri: { shape: page, stored: { type: String }, wire: { name: 'policy_uri' } },
  contacts: {
    shape: lazy(() => z.array(shortText(), 'must be a list of text').max(10, 'has more than 10 entries')),
    stored: { type: [String], default: undefined },
    wire: { name: 'contacts' },
  },
  softwareId: { shape: shortText, stored: { type: String }, wire: { name: 'software_id' } },
  softwareVersion: { shape: shortText, stored: { type: String }, wire: { name: 'software_version' } },
} satisfies Record<keyof RegistrationDetails, Omit<ClientField, 'name'>>);

function pageRow(
  name: Parameters<typeof pageProblems>[0],
  [flags, label]: readonly [string, string],
  texts: Pick<ClientField, 'label' | 'meaning' | 'example'>,
): FieldRow<string> {
  return {
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: 'if-extended',
    // at the host of a redirect URI it is shown whoever has looked at it
    reviewedValue: (client) => (isAtOwnHost(client, client[name]) ? undefined : client[name]),
    findProblems: pageProblems(name),
    isOwners: true,
    input: 'url',
    ...texts,
    flag: { flags, description: `where its ${label} is, an https: URL` },
    printed: { label },
  };
}
