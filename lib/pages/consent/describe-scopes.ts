import { isPartlyRequested, withoutCovered } from '../../core/authorization/claim-scopes.js';
import type { Settings } from '../../settings/settings.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import type { Translator } from '../rendering/translator.js';
import { isHighRisk, isOptionalScope, scopeOf } from './decision.js';

interface RequestedScopes {
  readonly scopes: readonly string[];
  /** The scopes of the earlier consent. */
  readonly consented: readonly string[];
  /** The submitted scopes. Default: those without a high risk. */
  readonly ticked?: readonly string[] | undefined;
}

type ScopeView = ReturnType<typeof describeEach>[number];

/** A longer list of absent scopes would distract from the requested ones. */
const MAX_NOT_REQUESTED = 3;
/** From this number of scopes on, they are folded under their headings. */
const FOLDED_FROM = 8;
/** The number of scopes without a heading that stay visible then. */
const UNFOLDED = 3;

/** New scopes, earlier scopes, and scopes that the client does not get. */
export function describeScopes(requested: RequestedScopes, settings: Settings, translator: Translator) {
  const siteScopes = Object.keys(settings.scopes);
  const before = withoutCovered(requested.consented, settings).filter((scope) => siteScopes.includes(scope));
  const had = withImplied(before, settings.impliedScopes);
  const fresh = requested.scopes.filter((scope) => !had.includes(scope));
  const again = [...new Set([...before, ...requested.scopes.filter((scope) => had.includes(scope))])].sort(
    (left, right) => siteScopes.indexOf(left) - siteScopes.indexOf(right),
  );
  const displayed = describeEach([...fresh, ...again], requested, settings, translator);
  const total = displayed.length;
  const legend = translator.text(before.length === 0 ? 'consent.can' : 'consent.canNew');
  const groups = [
    { legend, scopes: displayed.slice(0, fresh.length) },
    { legend: translator.text('consent.canAlready'), scopes: displayed.slice(fresh.length) },
  ].filter(({ scopes }) => scopes.length > 0);
  const granted = withImplied([...fresh, ...again], settings.impliedScopes);
  return {
    groups: groups.map((group) => ({
      ...group,
      sections: sectionsOf(group.scopes, total >= FOLDED_FROM, settings, translator),
    })),
    scopeCount: total >= FOLDED_FROM ? translator.text('consent.count', { count: total }) : undefined,
    // unticking a single scope would mean denial
    hasOptionalScopes:
      requested.scopes.length > 1 &&
      displayed.some(({ isRequested, isOptional, isHigh }) => isRequested && isOptional && !isHigh),
    hasHighRisk: displayed.some(({ isRequested, isHigh, isOptional }) => isRequested && isHigh && isOptional),
    notRequested: siteScopes
      // the text of a partly requested scope would say too much; but the client does get a part of it
      .filter((scope) => !granted.includes(scope) && !isPartlyRequested(scope, granted, settings))
      .slice(0, MAX_NOT_REQUESTED)
      .map((scope) => describeScope(settings.scopes, scope, translator.locale)),
  };
}

/** Each scope with those that it implies; an implied scope without a request of its own is mentioned once. */
function describeEach(
  displayed: readonly string[],
  { scopes: requested, ticked }: RequestedScopes,
  settings: Settings,
  { locale }: Translator,
) {
  const { scopes: options, impliedScopes } = settings;
  const describe = (scope: string) => describeScope(options, scope, locale);
  const said = new Set(displayed);
  return displayed.map((scope) => {
    const included = (impliedScopes.get(scope) ?? []).filter((name) => !said.has(name));
    for (const name of included) said.add(name);
    const isRequested = requested.includes(scope);
    const implier = requested.find((other) => impliedScopes.get(other)?.includes(scope) === true);
    const isHigh = isHighRisk(settings, scope);
    return {
      scope,
      description: describe(scope),
      details: localize(scopeOf(options, scope)?.details, locale),
      // whether the request has it; the page also lists earlier scopes
      isRequested,
      isOptional: isOptionalScope(settings, scope),
      isHigh,
      isTicked: ticked?.includes(scope) ?? !isHigh,
      // the implied scopes that the page does not list otherwise
      includes: included.map(describe),
      // the scope that implies it, ticked or not
      includedIn: isRequested && implier !== undefined ? describe(implier) : undefined,
    };
  });
}

const WITHOUT_HEADING = { heading: undefined, isHigh: false, isFolded: false };

/** High-risk scopes first, never folded; then scopes without a heading; then headings in the order of the options. */
function sectionsOf(
  scopes: readonly ScopeView[],
  isFolding: boolean,
  { scopes: options }: Settings,
  { text, number, locale }: Translator,
) {
  const byHeading = new Map<string | undefined, ScopeView[]>();
  for (const view of scopes.filter(({ isHigh }) => !isHigh)) {
    const heading = localize(scopeOf(options, view.scope)?.group, locale);
    byHeading.set(heading, [...(byHeading.get(heading) ?? []), view]);
  }
  const plain = byHeading.get(undefined) ?? [];
  byHeading.delete(undefined);
  const seen = isFolding ? plain.slice(0, UNFOLDED) : plain;
  const sections = [
    {
      ...WITHOUT_HEADING,
      heading: text('consent.highRisk'),
      isHigh: true,
      scopes: scopes.filter(({ isHigh }) => isHigh),
    },
    { ...WITHOUT_HEADING, scopes: seen },
    ...[...byHeading].map(([heading, part]) => ({
      heading,
      isHigh: false,
      isFolded: isFolding,
      scopes: part,
    })),
    { ...WITHOUT_HEADING, heading: text('consent.more'), isFolded: true, scopes: plain.slice(seen.length) },
  ];
  return sections
    .filter((section) => section.scopes.length > 0)
    .map((section) => ({ ...section, count: number(section.scopes.length) }));
}

/** The description of a scope, in the language of the page if the site has one. */
export function describeScope(scopes: Settings['scopes'], scope: string, locale: string): string {
  return localize(scopeOf(scopes, scope)?.description, locale) ?? scope;
}

/** A text of the site, in one or several languages; undefined if there is none. */
export function localize(text: string | Readonly<Record<string, string>> | undefined, locale: string) {
  if (text === undefined || typeof text === 'string') return text;
  const [language = locale] = locale.split('-');
  const available = [locale, language].find((candidate) => Object.hasOwn(text, candidate));
  return available === undefined ? Object.values(text)[0] : text[available];
}
