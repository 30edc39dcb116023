import type { Flow, Step } from './flows/flow.js';
import type { Message, NamedValue } from './messages.js';
import { explanationOf, type Reference } from './references.js';
import type { Exchange, Run, Verdict } from './runs.js';
import type { Piece } from './secrets.js';
import { drawTimeline, PARTY_NAMES, type Timeline } from './timeline.js';
import { openAccessToken, type OpenedToken } from './token.js';

/** What a page shows of a step; no view sees more than this. */
interface StepView extends Pick<Step, 'id' | 'title' | 'text' | 'button'> {
  readonly fields: NonNullable<Step['fields']>;
  readonly isDone: boolean;
  readonly missing: string | undefined;
  readonly told: string | undefined;
  readonly verdict: Verdict | undefined;
  readonly exchanges: readonly ExchangeView[];
}

interface MessageView {
  readonly startLine: readonly Piece[];
  readonly headers: readonly NamedValue[];
  readonly otherHeaders: readonly NamedValue[];
  readonly body: readonly Piece[];
}

interface ExchangeView extends Pick<Exchange, 'number' | 'title' | 'outcome'> {
  readonly way: string;
  readonly result: string;
  readonly isOpen: boolean;
  readonly hasSecrets: boolean;
  readonly isShown: boolean;
  readonly request: MessageView;
  readonly response: MessageView | undefined;
  readonly responseTitle: string;
  readonly parameters: readonly ParameterView[];
}

interface ParameterView extends NamedValue {
  readonly side: 'request' | 'response';
  readonly text: string;
  readonly reference: Reference | undefined;
}

export interface FlowView {
  readonly steps: readonly StepView[];
  readonly attacks: readonly StepView[];
  readonly timeline: Timeline;
  readonly token:
    | (OpenedToken & { readonly introspection: string | undefined; readonly signature: string | undefined })
    | undefined;
}

/** `shown`: number of the exchange whose secrets the visitor asked for; all others leave here masked. */
export function viewFlow({ steps, attacks }: Flow, run: Run, shown: number): FlowView {
  const { values, exchanges, latest } = run;
  const viewStep = ({ id, title, text, button, fields = [], waitsFor, tell }: Step): StepView => {
    const own = exchanges.filter(({ step }) => step === id);
    const views = own.map((exchange) =>
      viewExchange(exchange, {
        isShown: exchange.number === shown,
        isOpen: exchange.number === latest || exchange.number === shown,
      }),
    );
    const told = tell?.(values);
    const isDone = told !== undefined || own.some(({ outcome }) => outcome === 'fine');
    return {
      id,
      title,
      text,
      button,
      fields,
      isDone,
      missing: waitsFor(values),
      told,
      verdict: run.verdicts.get(id),
      exchanges: views,
    };
  };
  const { accessToken, introspection, signature } = values;
  return {
    steps: steps.map(viewStep),
    attacks: attacks.map(viewStep),
    timeline: drawTimeline(exchanges),
    token:
      accessToken === undefined ? undefined : { ...openAccessToken(accessToken), introspection, signature },
  };
}

function viewExchange(
  exchange: Exchange,
  { isShown, isOpen }: { readonly isShown: boolean; readonly isOpen: boolean },
): ExchangeView {
  const { number, title, outcome, channel, from, to, request, response, received } = exchange;
  const show = (pieces: readonly Piece[]) => pieces.map((piece) => mask(piece, isShown));
  const showNamed = ({ name, value }: NamedValue) => ({ name, value: show(value) });
  const showMessage = ({ startLine, headers, otherHeaders, body }: Message) => ({
    startLine: show(startLine),
    headers: headers.map(showNamed),
    otherHeaders: otherHeaders.map(showNamed),
    body: show(body),
  });
  const explain = (side: ParameterView['side']) => (named: NamedValue) => {
    const { text = 'Neither the RFCs nor this page say more about it.', reference } =
      explanationOf(named.name) ?? {};
    return { ...showNamed(named), side, text, reference };
  };
  return {
    number,
    title,
    outcome,
    isOpen,
    isShown,
    way: channel === 'front' ? 'through your browser' : `${PARTY_NAMES[from]} → ${PARTY_NAMES[to]}`,
    result: received ?? 'no answer yet',
    hasSecrets: [request, response].some((message) => message !== undefined && hasSecret(message)),
    request: showMessage(request),
    response: response && showMessage(response),
    responseTitle: channel === 'front' ? 'And your browser comes back with' : 'Response',
    parameters: [
      ...request.parameters.map(explain('request')),
      ...(response?.parameters.map(explain('response')) ?? []),
    ],
  };
}

function mask({ text, secret }: Piece, isShown: boolean): Piece {
  if (secret === undefined) return { text };
  return { text: isShown ? text : '', secret };
}

function hasSecret({ startLine, headers, otherHeaders, body, parameters }: Message): boolean {
  const pieces = [
    ...startLine,
    ...body,
    ...[...headers, ...otherHeaders, ...parameters].flatMap(({ value }) => value),
  ];
  return pieces.some(({ secret }) => secret !== undefined);
}
