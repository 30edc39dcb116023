import type { DetailTypeSettings } from '../../core/authorization-details/compare-details.js';
import type { Settings } from '../../settings/settings.js';
import { unexpectedCondition } from '../../shared/errors.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { isHighRiskDetail, isOptionalDetail } from './decision.js';

/** Longer texts would hide the rest of the page. */
const MAX_TEXT = 500;
const MAX_LINES = 20;

/** The texts of the site for each detail. */
export function describeDetails(
  details: readonly AuthorizationDetail[],
  settings: Settings,
  language: string,
  { clientId, name }: { readonly clientId: string; readonly name: string },
) {
  return Promise.all(
    details.map(async (detail, index) => {
      const isHigh = isHighRiskDetail(settings, detail);
      let displayed: Awaited<ReturnType<DetailTypeSettings['describe']>>;
      try {
        // a grant may have a type that the options no longer have
        const type = settings.authorizationDetails?.get(detail.type);
        displayed = (await type?.describe(detail, { language, client: { clientId, name } })) ?? detail.type;
      } catch (cause) {
        throw unexpectedCondition(`describe of the authorization details type ${detail.type} threw`, cause);
      }
      const { title, lines = [] } = typeof displayed === 'string' ? { title: displayed } : displayed;
      return {
        // the index in the request, by which the form allows it
        index,
        title: displayedText(title),
        lines: lines.slice(0, MAX_LINES).map(displayedText),
        isOptional: isOptionalDetail(settings, detail),
        isHigh,
        isTicked: !isHigh,
      };
    }),
  );
}

/** Clients supply parts of the text, which must not change the reading direction or hide anything (RFC 9396 §12). */
function displayedText(text: string): string {
  return String(text)
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ')
    .slice(0, MAX_TEXT);
}
