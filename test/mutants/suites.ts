import { readFileSync } from 'node:fs';

/** For each module of lib/ the beginnings of the paths of the suites that should see its mutants, the likeliest first. */
export const SUITES = JSON.parse(readFileSync(new URL('suites.json', import.meta.url), 'utf8')) as Record<
  string,
  readonly string[]
>;
const MODULES = Object.keys(SUITES).sort((a, b) => b.length - a.length);

/** The suites for the mutants of a file: those of the innermost module that suites.json has. */
export function suitesFor(path: string): readonly string[] {
  return SUITES[MODULES.find((module) => path.startsWith(`lib/${module}`))!]!;
}
