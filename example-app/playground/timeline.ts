import type { Exchange, Outcome, Party } from './runs.js';

export const PARTY_NAMES: Readonly<Record<Party, string>> = {
  browser: 'You',
  client: 'Playground',
  server: 'Photo site',
  api: 'Its API',
};

interface Arrow {
  readonly fromX: number;
  readonly toX: number;
  readonly y: number;
  readonly label: string;
  readonly isResponse: boolean;
  readonly outcome: Outcome;
  /** Number of the exchange, at the first of its arrows. */
  readonly number?: number;
}

/** A sequence diagram for an SVG; `words` has the same as text. */
export interface Timeline {
  readonly width: number;
  readonly height: number;
  readonly parties: readonly { readonly x: number; readonly name: string }[];
  readonly arrows: readonly Arrow[];
  readonly terms: readonly string[];
}

type Leg = readonly [from: Party, to: Party, label: string, isResponse: boolean];

const PARTIES: readonly Party[] = ['browser', 'client', 'server', 'api'];
const WIDTH = 400;
const TOP = 76;
const ROW = 38;
const MAX_LABEL = 20;

export function drawTimeline(exchanges: readonly Exchange[]): Timeline {
  const arrows: Arrow[] = [];
  for (const exchange of exchanges) {
    legsOf(exchange).forEach(([from, to, label, isResponse], index) => {
      arrows.push({
        fromX: columnOf(from),
        toX: columnOf(to),
        y: TOP + arrows.length * ROW,
        label: label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label,
        isResponse,
        outcome: isResponse ? exchange.outcome : 'fine',
        ...(index === 0 && { number: exchange.number }),
      });
    });
  }
  return {
    width: WIDTH,
    height: TOP + arrows.length * ROW,
    parties: PARTIES.map((party) => ({ x: columnOf(party), name: PARTY_NAMES[party] })),
    arrows,
    terms: exchanges.map(notify),
  };
}

function legsOf({ channel, from, to, sent, received }: Exchange): Leg[] {
  if (channel === 'back')
    return [
      [from, to, sent, false],
      [to, from, received ?? '', true],
    ];
  const there: Leg[] = [
    ['client', 'browser', 'go there', false],
    ['browser', 'server', sent, false],
  ];
  return received === undefined
    ? there
    : [...there, ['server', 'browser', 'go back', true], ['browser', 'client', received, true]];
}

function notify({ number, from, to, channel, title, sent, received, outcome }: Exchange): string {
  const way =
    channel === 'front'
      ? 'The playground, through your browser, to the photo site'
      : `${PARTY_NAMES[from]} to ${PARTY_NAMES[to]}`;
  const end =
    received === undefined
      ? 'no answer yet'
      : `the answer: ${received}${outcome === 'refused' ? ' (refused)' : ''}`;
  return `${number}. ${title}. ${way}: ${sent}; ${end}.`;
}

function columnOf(party: Party): number {
  return 50 + PARTIES.indexOf(party) * 100;
}
