import { type Form, peekParameter } from '../../shared/protocol/parameters.js';
/** What the address of the page asks for: `?q=shop&page=2`. */
export interface ListQuery {
  /** Words of a name; empty for all. */
  readonly terms: string;
  /** From 1 on. */
  readonly page: number;
  readonly sort: Sort;
}

/** The orders that can be asked for, the usual one first. */
export const SORTS = ['renewed', 'since', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/** One page of a list. */
export interface AppListPage<Entry> {
  readonly entries: readonly Entry[];
  readonly page: number;
  readonly pages: number;
  /** How many fit. */
  readonly found: number;
}

const PER_PAGE = 25;
const MAX_TERMS = 100;

export function listQueryOf(query: Form): ListQuery {
  const page = peekParameter(query, 'page') ?? '';
  const sort = peekParameter(query, 'sort');
  return {
    terms: (peekParameter(query, 'q') ?? '').trim().slice(0, MAX_TERMS),
    page: /^[1-9]\d{0,3}$/.test(page) ? Number(page) : 1,
    sort: SORTS.find((name) => name === sort) ?? 'renewed',
  };
}

/** Whether a name has all the words in it, whatever their case and their accents. */
export function fitting(terms: string): (name: string) => boolean {
  const sought = plain(terms).split(/\s+/).filter(Boolean);
  return (name) => sought.every((word) => plain(name).includes(word));
}

/** The last page, if one after it is asked for. */
export function partOf<Entry>(all: readonly Entry[], page: number): AppListPage<Entry> {
  const pages = Math.max(1, Math.ceil(all.length / PER_PAGE));
  const current = Math.min(page, pages);
  const entries = all.slice((current - 1) * PER_PAGE, current * PER_PAGE);
  return { entries, page: current, pages, found: all.length };
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
}
