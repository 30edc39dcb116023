import { isPartlyAsked, withoutCovered } from '../../core/authorization/claim-scopes.js';
import { isHighRisk, isOptionalScope, scopeOf } from '../../core/authorization/decision.js';
import { GROUP_ICONS, type GroupIcon } from '../../settings/pages/group-icons.js';
import type { Settings } from '../../settings/settings.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import type { Words } from '../rendering/words.js';

/** What was asked for, and what the person has allowed the client before. */
export interface AskedScopes {
  readonly scopes: readonly string[];
  readonly remembered: readonly string[];
  /** Those that the person has just left ticked. Default: those that can do no harm. */
  readonly ticked?: readonly string[] | undefined;
}

/** A scope as the consent page shows it. */
export interface ShownScope {
  readonly scope: string;
  readonly description: string;
  readonly details: string | undefined;
  /** Whether it is asked for now; one that was allowed before is listed all the same. */
  readonly isAsked: boolean;
  readonly isOptional: boolean;
  readonly isHigh: boolean;
  readonly isTicked: boolean;
  /** What it includes besides itself, unless that is on the page already. */
  readonly includes: readonly string[];
  /** The scope that it comes with, ticked or not. */
  readonly includedIn: string | undefined;
}

/** A picture that says nothing that is not written beside it: our own lines, or the address of one of the host's. */
type ShownIcon = { readonly lines: string } | { readonly source: string };

/** Scopes under one heading. */
export interface ScopeSection {
  readonly heading: string | undefined;
  /** Beside the heading. */
  readonly icon: ShownIcon | undefined;
  readonly isHigh: boolean;
  /** Opened by a click; what is ticked in it counts all the same. */
  readonly isFolded: boolean;
  readonly count: string;
  readonly scopes: readonly ShownScope[];
}

/** New ones, or those that were allowed before. */
export interface ScopeGroup {
  readonly legend: string;
  readonly scopes: readonly ShownScope[];
  readonly sections: readonly ScopeSection[];
}

/** To show more of what the client did not ask for would hide what it did ask for. */
const MAX_NOT_ASKED = 3;
/** From this many scopes on, they are folded by their headings. */
const FOLDED_FROM = 8;
/** How many of those without a heading are visible then. */
const UNFOLDED = 3;

type ScopeRules = Pick<Settings, 'scopes' | 'impliedScopes' | 'openid'>;

/** What is new, what the client had, and what it will not get. */
export function describeScopes(asked: AskedScopes, settings: ScopeRules, words: Words) {
  const known = Object.keys(settings.scopes);
  const before = withoutCovered(asked.remembered, settings).filter((scope) => known.includes(scope));
  const had = withImplied(before, settings.impliedScopes);
  const inOrder = (scopes: readonly string[]) =>
    [...scopes].sort((left, right) => known.indexOf(left) - known.indexOf(right));
  const fresh = asked.scopes.filter((scope) => !had.includes(scope));
  const again = inOrder([...new Set([...before, ...asked.scopes.filter((scope) => had.includes(scope))])]);
  const shown = describeEach([...fresh, ...again], asked, settings, words);
  const total = shown.length;
  const groupOf = (legend: string, scopes: readonly ShownScope[]): ScopeGroup => ({
    legend,
    scopes,
    sections: sectionsOf(scopes, total >= FOLDED_FROM, settings, words),
  });
  const given = withImplied([...fresh, ...again], settings.impliedScopes);
  return {
    groups: [
      groupOf(
        words.text(before.length === 0 ? 'consent.can' : 'consent.canNew'),
        shown.slice(0, fresh.length),
      ),
      groupOf(words.text('consent.canAlready'), shown.slice(fresh.length)),
    ].filter(({ scopes }) => scopes.length > 0),
    scopeCount: total >= FOLDED_FROM ? words.text('consent.count', { count: total }) : undefined,
    // not for a single one: to untick it and allow is to deny
    hasOptionalScopes: asked.scopes.length > 1 && shown.some(isTickable),
    hasHighRisk: shown.some(({ isAsked, isHigh, isOptional }) => isAsked && isHigh && isOptional),
    notAsked: known
      // of a partly asked scope the words say too much, but it does not belong here either
      .filter((scope) => !given.includes(scope) && !isPartlyAsked(scope, given, settings))
      .slice(0, MAX_NOT_ASKED)
      .map((scope) => describeScope(settings.scopes, scope, words.locale)),
  };
}

function isTickable({ isAsked, isOptional, isHigh }: ShownScope): boolean {
  return isAsked && isOptional && !isHigh;
}

/** Each with what it includes; an included scope that is not asked for itself is mentioned once. */
function describeEach(
  shown: readonly string[],
  { scopes: asked, ticked }: AskedScopes,
  settings: ScopeRules,
  { locale }: Words,
): readonly ShownScope[] {
  const { scopes: options, impliedScopes } = settings;
  const describe = (scope: string) => describeScope(options, scope, locale);
  const said = new Set(shown);
  return shown.map((scope) => {
    const included = (impliedScopes.get(scope) ?? []).filter((name) => !said.has(name));
    for (const name of included) said.add(name);
    const isAsked = asked.includes(scope);
    const implier = asked.find((other) => impliedScopes.get(other)?.includes(scope) === true);
    const isHigh = isHighRisk(settings, scope);
    return {
      scope,
      description: describe(scope),
      details: sayIn(scopeOf(options, scope)?.details, locale),
      isAsked,
      isOptional: isOptionalScope(settings, scope),
      isHigh,
      isTicked: ticked?.includes(scope) ?? !isHigh,
      includes: included.map(describe),
      includedIn: isAsked && implier !== undefined ? describe(implier) : undefined,
    };
  });
}

/** First what can do harm, never folded; then scopes without a heading; then each heading as the host has them. */
function sectionsOf(
  scopes: readonly ShownScope[],
  isFolding: boolean,
  { scopes: options }: Pick<Settings, 'scopes'>,
  { text, number, locale }: Words,
): readonly ScopeSection[] {
  const headingOf = ({ scope }: ShownScope) => sayIn(scopeOf(options, scope)?.group, locale);
  const section = (
    part: readonly ShownScope[],
    more: Partial<Pick<ScopeSection, 'heading' | 'icon' | 'isHigh' | 'isFolded'>> = {},
  ): ScopeSection[] =>
    part.length === 0
      ? []
      : [
          {
            heading: undefined,
            icon: undefined,
            isHigh: false,
            isFolded: false,
            count: number(part.length),
            scopes: part,
            ...more,
          },
        ];
  const usual = scopes.filter(({ isHigh }) => !isHigh);
  const plain = usual.filter((scope) => headingOf(scope) === undefined);
  const seen = isFolding ? plain.slice(0, UNFOLDED) : plain;
  const headings = new Set(usual.flatMap((scope) => headingOf(scope) ?? []));
  return [
    ...section(
      scopes.filter(({ isHigh }) => isHigh),
      { heading: text('consent.highRisk'), isHigh: true },
    ),
    ...section(seen),
    ...[...headings].flatMap((heading) => {
      const part = usual.filter((scope) => headingOf(scope) === heading);
      return section(part, { heading, icon: iconOf(part, options), isFolded: isFolding });
    }),
    ...section(plain.slice(seen.length), { heading: text('consent.more'), isFolded: true }),
  ];
}

/** The icon of the first scope that has one. */
function iconOf(part: readonly ShownScope[], options: Settings['scopes']): ShownIcon | undefined {
  const [icon] = part.flatMap(({ scope }) => scopeOf(options, scope)?.icon ?? []);
  if (icon === undefined) return undefined;
  return Object.hasOwn(GROUP_ICONS, icon) ? { lines: GROUP_ICONS[icon as GroupIcon] } : { source: icon };
}

/** A scope in words, in the language of the page if the host has a text in it. */
export function describeScope(scopes: Settings['scopes'], scope: string, locale: string): string {
  return sayIn(scopeOf(scopes, scope)?.description, locale) ?? scope;
}

/** A text of the host's, which is in one language or in several; undefined if there is none. */
export function sayIn(
  given: string | Readonly<Record<string, string>> | undefined,
  locale: string,
): string | undefined {
  if (given === undefined || typeof given === 'string') return given;
  const [language = locale] = locale.split('-');
  const own = [locale, language].find((candidate) => Object.hasOwn(given, candidate));
  return own === undefined ? Object.values(given)[0] : given[own];
}
