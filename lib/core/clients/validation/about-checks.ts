import { hasStackedMarks, hasUnseenCharacters } from '../../../shared/protocol/visible-text.js';
import type { ClientMetadata } from '../client.js';
import { findPageUriProblem } from '../page-uri.js';
import type { ClientProblem } from '../validation-error.js';

/** What a client says of itself beside its name, as users may come to see it. */
type PageField = 'clientUri' | 'logoUri' | 'policyUri' | 'tosUri';

const MAX_DESCRIPTION = 200;

const PAGES: Readonly<Record<PageField, string>> = {
  clientUri: 'The home page',
  logoUri: 'The logo',
  policyUri: 'The privacy policy',
  tosUri: 'The terms of service',
};

/** One rule, wherever the address comes from, so that what is registered can be shown. */
export function pageProblems(field: PageField): (client: ClientMetadata) => ClientProblem[] {
  return ({ [field]: uri }) => {
    const found = uri === undefined ? undefined : findPageUriProblem(uri);
    if (found === undefined) return [];
    const { text, ...reason } = found;
    return [{ field, problem: `${PAGES[field]}: ${text}.`, ...reason }];
  };
}

/** Whether a page is at the host of a redirect URI of its client, and so is shown whoever has looked at it. */
export function isAtOwnHost({ redirectUris }: ClientMetadata, page: string | undefined): boolean {
  if (page === undefined || !URL.canParse(page)) return false;
  const { host } = new URL(page);
  return redirectUris.some((uri) => URL.canParse(uri) && new URL(uri).host === host);
}

export function descriptionProblems({ description }: ClientMetadata): ClientProblem[] {
  if (description === undefined) return [];
  const problem = (text: string, more: Partial<ClientProblem>): ClientProblem[] => [
    { field: 'description', problem: text, ...more },
  ];
  if (description.length > MAX_DESCRIPTION)
    return problem(`The description is longer than ${MAX_DESCRIPTION} characters.`, {
      reason: 'descriptionTooLong',
      values: { max: MAX_DESCRIPTION },
    });
  // they could make it read as something else than what is stored
  return hasUnseenCharacters(description) || hasStackedMarks(description)
    ? problem('The description has invisible or control characters.', { reason: 'descriptionInvisible' })
    : [];
}
