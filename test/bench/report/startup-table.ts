import type { StartupMeasure, StartupRow } from '../startup.js';
import type { Figure } from '../statistics.js';
import type { Report } from './report.js';
import { formatColumns, formatFigure, formatHead, formatInterval, type Row } from './table.js';

export interface StartupReport extends Pick<Report, 'date' | 'machine' | 'settings'> {
  /** The number of rounds. */
  readonly rounds: number;
  readonly rows: readonly StartupRow[];
}

const COLUMNS: readonly (readonly [measure: StartupMeasure, header: string])[] = [
  ['importMilliseconds', 'import ms'],
  ['importCpuMilliseconds', 'import CPU ms'],
  ['milliseconds', 'process ms'],
  ['cpuMilliseconds', 'process CPU ms'],
  ['residentBytes', 'MB'],
];

export function formatStartup(report: StartupReport): string {
  const header = ['', ...COLUMNS.flatMap(([, title]) => [title, '', '×'])];
  const rows = report.rows.map((row): Row => [
    row.title,
    ...COLUMNS.flatMap(([measure]) => formatMeasure(row, measure)),
  ]);
  return [
    ...formatHead(report),
    'import: from the first import to the end of the last one; process: from the start of a fresh process to that end, so that Node itself is included; MB: resident then',
    '×: as a multiple of express and mongoose in the same round; of the guard, of express alone; ±: half of the interval in which the median is, 19 times of 20',
    '',
    `Start-up, ${report.rounds} rounds`,
    formatColumns([header, ...rows]),
  ].join('\n');
}

function formatMeasure({ figures, ratios }: StartupRow, measure: StartupMeasure): string[] {
  const figure = figures[measure];
  if (figure === undefined) return ['–', '', ''];
  return [
    formatFigure(measure === 'residentBytes' ? inMegabytes(figure) : figure, 1),
    formatInterval(figure),
    formatFigure(ratios?.[measure], 2),
  ];
}

function inMegabytes(figure: Figure): Figure {
  return { ...figure, median: figure.median / 1e6 };
}
