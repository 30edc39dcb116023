import type { NamedTokenKind } from '../../core/grants/named-token.js';
import type { DisplayTime, Translator } from '../../pages/rendering/translator.js';
import { addSeconds } from '../../shared/date.js';
import type { PersonalAccessTokenSettings } from './options.js';
import { longestOf } from './token-expiry.js';
import type { TokenValues } from './token-form.js';
import { NO_EXPIRY } from './token-info.js';

const DAY = 86_400;
/** Seconds that a user can choose with one click. */
const SPANS = [7 * DAY, 30 * DAY, 90 * DAY];

/** What the form offers as the end of a token. */
export interface DisplayedExpiry {
  readonly choices: readonly {
    readonly value: string;
    readonly label: string;
    readonly explanation?: string;
    readonly isChosen: boolean;
  }[];
  /** Absent if a token cannot live to the end of a day. */
  readonly date:
    | {
        readonly value: string;
        readonly min: string;
        readonly max: string;
        readonly last: DisplayTime;
      }
    | undefined;
  readonly isDate: boolean;
}

export function describeExpiry(
  { expires, expiresOn }: Pick<TokenValues, 'expires' | 'expiresOn'>,
  {
    kind,
    options,
    now,
    translator,
  }: {
    readonly kind: NamedTokenKind;
    readonly options: PersonalAccessTokenSettings;
    readonly now: Date;
    readonly translator: Translator;
  },
): DisplayedExpiry {
  const { text, span, day } = translator;
  const { ttl, allowNoExpiry } = options;
  const longest = longestOf({ kind, options });
  const spans = [...new Set([...SPANS, ...(kind === 'service' ? [] : [ttl])])]
    .filter((seconds) => seconds <= longest)
    .sort((one, other) => one - other);
  const never = kind === 'service' || allowNoExpiry;
  const last = lastDay(now, longest);
  return {
    choices: [
      ...spans.map((seconds) => ({
        value: String(seconds),
        label: text('tokens.expiryIn', { span: span(seconds) }),
      })),
      ...(never
        ? [
            {
              value: 'never',
              label: text('tokens.expiryNever'),
              explanation: text('tokens.expiryNeverMeaning'),
            },
          ]
        : []),
    ].map((choice) => ({ ...choice, isChosen: choice.value === expires })),
    date: last < now ? undefined : { value: expiresOn, min: dayIn(now), max: dayIn(last), last: day(last) },
    isDate: expires === 'date',
  };
}

/** The last day whose end lies within the longest life; browsers know days up to the year 9999. */
function lastDay(now: Date, longest: number): Date {
  const last = addSeconds(now, longest - DAY);
  const latest = addSeconds(NO_EXPIRY, -DAY);
  return last < latest ? last : latest;
}

/** As browsers have it in a field for dates. */
function dayIn(date: Date): string {
  return date.toISOString().slice(0, 10);
}
