import type { Field, Flow, Step } from './flows/flow.js';
import type { Message, NamedValue } from './messages.js';
import { explanationOf, type Reference } from './references.js';
import type { Exchange, Run, Verdict } from './runs.js';
import type { Piece } from './secrets.js';
import { drawTimeline, PARTY_NAMES, type Timeline } from './timeline.js';
import { openAccessToken, type OpenedToken } from './token.js';

/** The data of a step for its view. */
interface StepView extends Pick<Step, 'id' | 'title' | 'text' | 'button'> {
  readonly isAttack: boolean;
  readonly fields: NonNullable<Step['fields']>;
  readonly isDone: boolean;
  readonly missing: string | undefined;
  /** Whether only the title is visible: the step waits for another one, and has no exchanges yet. */
  readonly isFolded: boolean;
  readonly reported: string | undefined;
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
  readonly isDisplayed: boolean;
  readonly request: MessageView;
  readonly response: MessageView | undefined;
  readonly note: string | undefined;
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
  readonly timeline: Timeline;
  /** A link to the same try, with the input except for secrets; undefined without input. */
  readonly link: string | undefined;
  readonly token:
    | (OpenedToken & { readonly introspection: string | undefined; readonly signature: string | undefined })
    | undefined;
}

interface Displayed {
  /** Number of the exchange whose secrets are displayed; all others are masked. */
  readonly displayed: number;
  /** Values from a link for the fields of the first step. */
  readonly given: Readonly<Record<string, string>>;
}

export function viewFlow(flow: Flow, run: Run, { displayed, given }: Displayed): FlowView {
  const { steps } = flow;
  const { values, exchanges, latest } = run;
  const viewStep = (step: Step): StepView => {
    const { id, title, text, button, isAttack = false, waitsFor, notify } = step;
    const own = exchanges.filter(({ step }) => step === id);
    const views = own.map((exchange) =>
      viewExchange(exchange, {
        isDisplayed: exchange.number === displayed,
        isOpen: exchange.number === latest || exchange.number === displayed,
      }),
    );
    const reported = notify?.(values);
    const isDone = isAttack
      ? run.verdicts.has(id)
      : reported !== undefined || own.some(({ outcome }) => outcome === 'fine');
    const missing = waitsFor(values);
    return {
      id,
      title,
      text,
      button,
      isAttack,
      fields: filledFields(step, run, given),
      isDone,
      missing,
      isFolded: missing !== undefined && !isDone && own.length === 0,
      reported,
      verdict: run.verdicts.get(id),
      exchanges: views,
    };
  };
  const { accessToken, introspection, signature } = values;
  return {
    steps: steps.map(viewStep),
    timeline: drawTimeline(exchanges),
    link: linkTo(flow, run),
    token:
      accessToken === undefined ? undefined : { ...openAccessToken(accessToken), introspection, signature },
  };
}

/** Fills the fields with the visitor's input, except for secrets. */
function filledFields(
  { id, isFirst, fields = [] }: Step,
  run: Run,
  given: Displayed['given'],
): readonly Field[] {
  const typed = run.typed.get(id) ?? {};
  return fields.map((field) => {
    if (field.type === 'password') return field;
    const ofLink = isFirst === true ? given[field.name] : undefined;
    return { ...field, value: ofLink ?? typed[field.name] ?? field.value };
  });
}

function linkTo({ id, steps }: Flow, run: Run): string | undefined {
  const first = steps.find(({ isFirst }) => isFirst);
  const typed = first && run.typed.get(first.id);
  if (typed === undefined) return undefined;
  const query = new URLSearchParams(Object.entries(typed)).toString();
  return `/playground/${id}${query === '' ? '' : `?${query}`}`;
}

function viewExchange(
  exchange: Exchange,
  { isDisplayed, isOpen }: { readonly isDisplayed: boolean; readonly isOpen: boolean },
): ExchangeView {
  const { number, title, outcome, channel, from, to, request, response, received, note } = exchange;
  const show = (pieces: readonly Piece[]) => pieces.map((piece) => mask(piece, isDisplayed));
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
    isDisplayed,
    way: channel === 'front' ? 'through your browser' : `${PARTY_NAMES[from]} → ${PARTY_NAMES[to]}`,
    result: received ?? 'no answer yet',
    hasSecrets: [request, response].some((message) => message !== undefined && hasSecret(message)),
    request: showMessage(request),
    response: response && showMessage(response),
    note,
    responseTitle: channel === 'front' ? 'And your browser comes back with' : 'Response',
    parameters: [
      ...request.parameters.map(explain('request')),
      ...(response?.parameters.map(explain('response')) ?? []),
    ],
  };
}

function mask({ text, secret }: Piece, isDisplayed: boolean): Piece {
  if (secret === undefined) return { text };
  return { text: isDisplayed ? text : '', secret };
}

function hasSecret({ startLine, headers, otherHeaders, body, parameters }: Message): boolean {
  const pieces = [
    ...startLine,
    ...body,
    ...[...headers, ...otherHeaders, ...parameters].flatMap(({ value }) => value),
  ];
  return pieces.some(({ secret }) => secret !== undefined);
}
