import { pathOf } from '../settings/endpoint-urls.js';
import type { Settings } from '../settings/settings.js';
import type { Translator } from './rendering/translator.js';

const LABELS = {
  authorizations: 'authorizations.title',
  'access-tokens': 'tokens.title',
  applications: 'layout.applications',
} as const;

/** A page that users come back to. */
export type AccountPage = keyof typeof LABELS;

/** The links between the pages of an account; none if there is one page alone. */
export function accountNavigation(
  isDeveloper: boolean,
  here: AccountPage,
  settings: Settings,
  { text }: Translator,
): readonly { readonly href: string; readonly label: string; readonly isHere: boolean }[] {
  const pages: readonly AccountPage[] = [
    'authorizations',
    ...(settings.personalAccessTokens ? (['access-tokens'] as const) : []),
    ...(isDeveloper ? (['applications'] as const) : []),
  ];
  if (pages.length === 1) return [];
  return pages.map((name) => ({
    href: pathOf(settings, name),
    label: text(LABELS[name]),
    isHere: name === here,
  }));
}
