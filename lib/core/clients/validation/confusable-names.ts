import { remove } from 'confusables';

/** How a text looks: equal for two texts that can be mistaken for each other. */
interface Look {
  readonly each: readonly string[];
  /** The words with a space between, before and after them. */
  readonly terms: string;
  readonly joined: string;
}

/** Latin letters, digits and signs that look alike, in lower case. */
const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/[i1|]/g, 'l'],
  // after the last letter `!` is punctuation
  [/!(?=.*[\p{L}\p{N}])/gsu, 'l'],
  [/0/g, 'o'],
  [/[5$]/g, 's'],
  [/[@4]/g, 'a'],
  [/[3€]/g, 'e'],
  [/7/g, 't'],
  [/8/g, 'b'],
];
/** Two letters that look like one. */
const PAIRS: typeof ALIKE = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
];
/** Signs that NFKC turns into letters. */
const SIGNS_OF_TRADE = /[™℠]/gu;
/** A shorter name would be part of many honest words. */
const MIN_WITHIN = 8;
/** This many single letters in a row are one word with spaces in it. */
const MIN_SPREAD = 3;
const MAX_RUN = 6;

/**
 * Whether one name looks like another one, or contains it, ignoring case, script, marks on letters, and spaces and
 * signs between letters.
 *
 * @see UTS #39 §4; the table is from the package confusables, which has more entries
 */
export function looksLike(name: string, other: string): boolean {
  const [look, otherLook] = [lookOf(name), lookOf(other)];
  if (otherLook.joined === '') return false;
  return (
    look.joined === otherLook.joined ||
    look.terms.includes(otherLook.terms) ||
    (otherLook.joined.length >= MIN_WITHIN && look.joined.includes(otherLook.joined))
  );
}

/** Equal for all names that look alike. Stored, so that an index finds names. */
export function skeletonOf(name: string): string {
  return lookOf(name).joined;
}

/**
 * The skeletons of all names that a name could be read as: its own, and those of several of its words in a row, if long
 * enough to be no honest word.
 */
export function skeletonsWithin(name: string): readonly string[] {
  const { each, joined } = lookOf(name);
  const runs = each.flatMap((_word, from) =>
    Array.from({ length: MAX_RUN - 1 }, (_none, more) => each.slice(from, from + more + 2)),
  );
  const within = runs
    .filter(({ length }) => length > 1)
    .map((run) => fold(run.join(''), PAIRS))
    .filter(({ length }) => length >= MIN_WITHIN);
  return [...new Set([joined, ...within])].filter((skeleton) => skeleton !== '');
}

/** The words of the badge on the consent page, and similar ones; a line for each language of the pages. */
const BADGE_TERMS = [
  'verified, official, certified by, approved by',
  'geprüft, geprueft, verifiziert, offiziell, offizielle, zertifiziert von, zertifiziert durch, genehmigt von',
  'verificada, verificado, oficial, certificado por, certificada por, aprobado por, aprobada por',
  'vérifié, vérifiée, officiel, officielle, certifié par, certifiée par, approuvé par, approuvée par',
  'تم التحقق منه, متحقق منه, موثق, رسمي, الرسمي, معتمد من',
].flatMap((line) => line.split(', ').map((word) => ({ word, ...lookOf(word) })));
/** Roles that speak for a site: no application may have such a name. Within a longer name they are honest words. */
const ROLES: ReadonlyMap<string, string> = new Map(
  [
    'admin, administrator, system, security, support, staff, moderator, certified, root, webmaster, owner',
    'account security, security alert, trust and safety, trust & safety, customer support, customer service',
    'IT support, technical support, help desk',
    'site admin, site administrator, website admin, website administrator, site owner, site support',
    'system admin, system administrator, sysadmin, super admin, superuser',
    'system update, system message, security update, trusted, trusted app, trusted application, approved app',
    'Administration, Systemadministrator, Sicherheit, Sicherheitsteam, Kundendienst, zertifiziert, vertrauenswürdige App',
    'administrador, administrador del sistema, administrador del sitio, sistema, seguridad, equipo de seguridad',
    'soporte, moderador, certificado, aplicación de confianza',
    'administrateur, administrateur système, administrateur du site, système, sécurité, équipe de sécurité',
    'assistance, modérateur, certifié, application de confiance',
    '管理者, システム管理者, サイト管理者, システム, セキュリティ, セキュリティチーム, サポート, 運営, 認定, 信頼できるアプリ',
    'المسؤول, مسؤول, المدير, مدير الموقع, مدير النظام, النظام, الأمان, فريق الأمان, الدعم, فريق الدعم, معتمد, تطبيق موثوق',
  ].flatMap((line) => line.split(', ').map((role): [string, string] => [lookOf(role).joined, role])),
);
/** What may surround the name of a role without changing it: `The Admins`, `Support Team`. */
const AROUND_ROLE = [/^the(?=.)/, /team$/, /s$/];
/** Words of a language without spaces; a sign before them may negate them. */
const UNSPACED_BADGE_TERM = /(?<![非未不])(?:確認済み?|認証済み?|認定済み?|公式)/u;

/** The word in a name that claims what only the site can say; undefined if there is none. */
export function findBadgeWord(name: string): string | undefined {
  const look = lookOf(name);
  const plain = name.normalize('NFKC').replaceAll(/\s+/gu, '');
  for (const { word, joined, terms } of BADGE_TERMS)
    if (look.joined === joined || look.terms.includes(terms)) return word;
  const role = AROUND_ROLE.reduce((name, around) => name.replace(around, ''), look.joined);
  return UNSPACED_BADGE_TERM.exec(plain)?.[0] ?? ROLES.get(look.joined) ?? ROLES.get(role);
}

function lookOf(text: string): Look {
  const latin = remove(text.replaceAll(SIGNS_OF_TRADE, ' ').normalize('NFKC'))
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase();
  const terms = fold(latin, ALIKE)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const each = joinSpread(terms);
  return {
    each,
    terms: ` ${each.map((word) => fold(word, PAIRS)).join(' ')} `,
    joined: fold(terms.join(''), PAIRS),
  };
}

/** Joins `V e r i f i e d` into one word. */
function joinSpread(terms: readonly string[]): readonly string[] {
  const isLetter = (word: string | undefined) => word !== undefined && [...word].length === 1;
  const joined: string[] = [];
  for (let at = 0; at < terms.length;) {
    let end = at;
    while (isLetter(terms[end])) end += 1;
    const length = end - at >= MIN_SPREAD ? end - at : 1;
    joined.push(terms.slice(at, at + length).join(''));
    at += length;
  }
  return joined;
}

function fold(text: string, table: typeof ALIKE): string {
  let folded = text;
  for (const [alike, letter] of table) folded = folded.replaceAll(alike, letter);
  return folded;
}
