import type { StartupMeasure, StartupRow } from '../startup.js';
import type { Figure } from '../statistics.js';
import type { Weight } from '../weight.js';
import type { Report } from './report.js';
import { formatColumns, formatFigure, formatHead, formatInterval, type Row } from './table.js';

export interface StartupReport extends Pick<Report, 'date' | 'machine' | 'settings'> {
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
  return [
    ...formatHead(report),
    'import: from the first import to the end of the last one; process: from the start of a fresh process to that end, so that Node itself is included; MB: resident then',
    '×: as a multiple of express and mongoose in the same round; of the guard, of express alone; ±: half of the 95 % confidence interval of the median; –: too noisy to tell',
    '',
    `Start-up, ${report.rounds} rounds`,
    formatRows(report.rows),
  ].join('\n');
}

interface WeightReport extends StartupReport {
  readonly rows: readonly (StartupRow & { readonly weight: Weight })[];
}

export function formatWeights(report: WeightReport): string {
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)}`;
  const header = [
    '',
    'unpacked kB',
    'files',
    'packages',
    'all kB',
    'loaded kB',
    'all loaded kB',
    'import ms',
    'CPU ms',
  ];
  const rows = report.rows.map(({ title, figures, weight }): Row => [
    title,
    kilobytes(weight.unpackedBytes),
    `${weight.files}`,
    `${weight.installedPackages}`,
    kilobytes(weight.installedBytes),
    kilobytes(weight.loadedBytes),
    kilobytes(weight.allLoadedBytes),
    formatFigure(figures.importMilliseconds, 0),
    formatFigure(figures.importCpuMilliseconds, 0),
  ]);
  return [
    ...formatHead(report),
    'packages, all kB: what npm installs, with peers; loaded: code of the smallest server, of the package itself and with all that it needs; import: as with --startup',
    '',
    formatColumns([header, ...rows]),
  ].join('\n');
}

function formatRows(rows: readonly StartupRow[]): string {
  const header = ['', ...COLUMNS.flatMap(([, title]) => [title, '', '×'])];
  return formatColumns([
    header,
    ...rows.map((row): Row => [row.title, ...COLUMNS.flatMap(([measure]) => formatMeasure(row, measure))]),
  ]);
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
