const WIDTH = 480;
const HEIGHT = 320;

interface Palette {
  /** From the zenith to the horizon. */
  readonly sky: readonly [string, string];
  readonly light: string;
  /** From the farthest range to the nearest. */
  readonly hills: readonly [string, string, string, string];
  readonly isNight?: boolean;
}

const PALETTES: readonly Palette[] = [
  { sky: ['#5b7fb8', '#fbd3a4'], light: '#fff3d6', hills: ['#b58f9b', '#8a6d86', '#5d5273', '#332f4c'] },
  { sky: ['#4a97d6', '#d6ecf5'], light: '#fffbe6', hills: ['#a9c4c9', '#7da98f', '#548663', '#2f5a41'] },
  { sky: ['#3b2a5c', '#f0785a'], light: '#ffd08a', hills: ['#a8506a', '#75395f', '#4a284e', '#261636'] },
  {
    sky: ['#0b1430', '#33507d'],
    light: '#f4f1de',
    hills: ['#263f66', '#1a2e50', '#101f3a', '#081022'],
    isNight: true,
  },
  { sky: ['#86a9b8', '#f7e3bd'], light: '#fff6df', hills: ['#d8a866', '#c17a3c', '#8e4a25', '#4f2817'] },
  { sky: ['#9fb3bd', '#e6e9e6'], light: '#ffffff', hills: ['#c3cdce', '#a0afb1', '#76898d', '#48595f'] },
];

type Random = () => number;

/** Draws a landscape from a seed; the same seed always gives the same picture. */
export function drawPicture(design: number): string {
  const palette = PALETTES[design % PALETTES.length]!;
  const random = createRandom(design);
  const [top, horizon] = palette.sky;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">`,
    `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${top}"/><stop offset=".75" stop-color="${horizon}"/></linearGradient></defs>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/>`,
    palette.isNight ? drawStars(random) : drawClouds(random),
    drawLight(random, palette),
    ...palette.hills.map((color, index) => drawHill(random, color, index)),
    drawTrees(random, palette.hills[3]),
    '</svg>',
  ].join('');
}

/** Mulberry32: small, and good enough for hills. */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function between(random: Random, low: number, high: number): number {
  return Math.round((low + random() * (high - low)) * 10) / 10;
}

function times(count: number, draw: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index)).join('');
}

function drawStars(random: Random): string {
  return times(
    60,
    () =>
      `<circle cx="${between(random, 0, WIDTH)}" cy="${between(random, 0, 190)}" r="${between(random, 0.5, 1.4)}" fill="#fff" opacity="${between(random, 0.3, 0.9)}"/>`,
  );
}

function drawClouds(random: Random): string {
  return times(
    4,
    () =>
      `<ellipse cx="${between(random, 0, WIDTH)}" cy="${between(random, 30, 130)}" rx="${between(random, 50, 120)}" ry="${between(random, 5, 13)}" fill="#fff" opacity="${between(random, 0.12, 0.35)}"/>`,
  );
}

function drawLight(random: Random, { light, isNight = false }: Palette): string {
  const place = `cx="${between(random, 90, WIDTH - 90)}" cy="${between(random, 55, isNight ? 90 : 150)}"`;
  const radius = isNight ? 19 : between(random, 24, 34);
  return `<circle ${place} r="${radius * 2.2}" fill="${light}" opacity=".16"/><circle ${place} r="${radius}" fill="${light}"/>`;
}

function drawHill(random: Random, color: string, index: number): string {
  const base = 165 + index * 38;
  const height = 62 - index * 13;
  const phase = random() * 7;
  const waves = between(random, 0.9, 1.8) + index * 0.3;
  const points = Array.from({ length: 49 }, (_, step) => {
    const along = step / 48;
    const rise =
      Math.sin(phase + along * waves * Math.PI * 2) * 0.6 +
      Math.sin(phase * 3 + along * waves * 11) * 0.25 +
      (random() - 0.5) * 0.12;
    return `${along * WIDTH},${(base - rise * height).toFixed(1)}`;
  });
  return `<path d="M0,${HEIGHT}L${points.join('L')}L${WIDTH},${HEIGHT}Z" fill="${color}"/>`;
}

function drawTrees(random: Random, color: string): string {
  const start = between(random, -30, 280);
  return times(11, (index) => {
    const x = start + index * 17 + between(random, -5, 5);
    const height = between(random, 34, 78);
    const width = height * 0.22;
    const foot = 316;
    return `<path d="M${x.toFixed(1)},${(foot - height).toFixed(1)}l${width.toFixed(1)},${height.toFixed(1)}h${(-2 * width).toFixed(1)}z" fill="${color}"/>`;
  });
}
