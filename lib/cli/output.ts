import { styleText } from 'node:util';

import { InvalidArgumentError } from 'commander';

import { CliError } from './exit.js';
import type { Io } from './io.js';

/** Colours only at a terminal (https://no-color.org). */
export function paint(
  { stdout, env: { NO_COLOR, TERM } }: Io,
  style: Parameters<typeof styleText>[0],
  text: string,
): string {
  return stdout.isTTY === true && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb'
    ? styleText(style, text, { validateStream: false })
    : text;
}

export function print({ stdout }: Io, text: string): void {
  stdout.write(`${text}\n`);
}

export function printJson(io: Io, value: unknown): void {
  print(io, formatJson(value, 2));
}

/** Prints a result as JSON, or as a sentence. */
export function printAnswer(io: Io, { json }: { json?: boolean }, value: unknown, text: string): void {
  print(io, json ? formatJson(value, 2) : text);
}

/** Prints a list as JSON, or as a table with these columns; a sentence if it is empty. */
export function printList<T>(
  io: Io,
  { json, limit }: { readonly json?: boolean; readonly limit?: number },
  items: readonly T[],
  look: {
    readonly empty: string;
    readonly columns: Readonly<Record<string, (item: T) => string>>;
    /** The flag that shows the items beyond the limit. */
    readonly more?: (last: T | undefined) => string;
  },
): void {
  const displayed = items.slice(0, limit);
  const rows = displayed.map((item) => Object.values(look.columns).map((cell) => cell(item)));
  if (json) printJson(io, displayed);
  else print(io, rows.length === 0 ? look.empty : formatTable(io, Object.keys(look.columns), rows));
  if (items.length > displayed.length) note(io, `there are more: ${look.more?.(displayed.at(-1))}`);
}

/** JSON with escapes for characters that a terminal hides or obeys; its value is the same. */
export function formatJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (text) =>
    [...Array(text.length).keys()]
      .map((index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

export function note({ stderr }: Io, text: string): void {
  stderr.write(`note: ${text}\n`);
}

/** For tables and records. It names the time zone, because the database may be in another. */
export function formatDate(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A table; at a terminal that is too narrow, a record for each row. */
export function formatTable(io: Io, header: readonly string[], rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map(printable));
  const widths = header.map((name, column) =>
    Math.max(name.length, ...safe.map((row) => (row[column] ?? '').length)),
  );
  const width = widths.reduce((sum, column) => sum + column + 2, -2);
  if (io.stdout.isTTY === true && width > (io.stdout.columns ?? Infinity))
    return rows
      .map((row) => header.map((name, column) => [name.toLowerCase(), row[column] ?? '']))
      .map((entries) => formatRecord(io, Object.fromEntries(entries) as Record<string, string>))
      .join('\n\n');
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [paint(io, 'bold', line(header)), ...safe.map(line)].join('\n');
}

/** A line for each name and its value. */
export function formatRecord(io: Io, record: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(record).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries
    .map(([name, value]) => `${paint(io, 'bold', name.padEnd(width))}  ${printable(value)}`)
    .join('\n');
}

/** Names of untrusted clients must not move the terminal's cursor. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

/** Milliseconds between two progress messages: in one line of a terminal, otherwise each in its own line. */
const TICKS = { terminal: 500, log: 5000 } as const;

/** Reports the progress of slow work on stderr. */
export async function withTicks<T>({ stderr }: Io, say: () => string, work: Promise<T>): Promise<T> {
  const timer = stderr.isTTY
    ? setInterval(() => stderr.write(`\r${say()} …\x1b[K`), TICKS.terminal)
    : setInterval(() => stderr.write(`${say()} …\n`), TICKS.log);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (stderr.isTTY) stderr.write('\r\x1b[K');
  }
}

/** Prints the current work on stderr if it takes more than a second. */
export async function withProgress<T>({ stderr }: Io, label: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => stderr.write(`${label} …\n`), 1000);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

export function parseCount(value: string): number {
  const count = Number(value);
  if (!/^\d{1,9}$/.test(value)) throw new CliError(`'${value}' is not a whole number`);
  return count;
}

/** ISO 8601; a day begins at midnight UTC. */
export function parseTime(value: string): Date {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(value);
  const [year = 0, month = 0, day = 0] = value.split(/[-T]/).map(Number);
  const hasDay = day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
  const time = new Date(isTime && hasDay ? value : NaN);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Write it as 2026-01-31 or 2026-01-31T12:00:00Z.');
  return time;
}
