import type { Color, ColorOptions } from '../../settings/pages/page-options.js';

type Scheme = 'light' | 'dark';
type Palette = Readonly<Record<keyof ColorOptions, string>>;

/** The colours of views/style.css, with which the site's colours must be readable. */
const OWN: Readonly<Record<Scheme, Palette & { readonly soft: string }>> = {
  light: { accent: '#2f54c8', page: '#f4f5f8', surface: '#ffffff', text: '#1a1f2b', soft: '#545d6e' },
  dark: { accent: '#9db4ff', page: '#10131a', surface: '#191d26', text: '#e8ebf2', soft: '#a5adbd' },
};
/** WCAG 2.2 §1.4.3, level AA. */
const READABLE = 4.5;
const STEPS = 50;

/**
 * The site's colours as CSS variables; empty if there are none. They follow the package's in the stylesheet.
 *
 * @throws TypeError if text would be hard to read, with a shade that suffices
 */
export function themeCss(colors: ColorOptions | undefined): string {
  if (colors === undefined || Object.values(colors).every((color) => color === undefined)) return '';
  const light = paletteOf(colors, 'light');
  const dark = paletteOf(colors, 'dark');
  checkContrast(light, 'light');
  checkContrast(dark, 'dark');
  const inLight = variables(light, 'light');
  const inDark = variables(dark, 'dark');
  const write = (valueOf: (name: string) => string | undefined) =>
    Object.keys(inLight)
      .map((name) => `--eas-${name}: ${valueOf(name)}`)
      .join('; ');
  const inBoth = write((name) => `light-dark(${inLight[name]}, ${inDark[name]})`);
  return `\n.eas-page { ${write((name) => inLight[name])}; }\n@supports (color: light-dark(#000, #fff)) { .eas-page { ${inBoth}; } }\n`;
}

function paletteOf(colors: ColorOptions, scheme: Scheme): Palette {
  const surroundings = {
    page: colorIn(colors.page, scheme) ?? OWN[scheme].page,
    surface: colorIn(colors.surface, scheme) ?? OWN[scheme].surface,
  };
  const accent =
    colorIn(colors.accent, scheme) ??
    (colors.accent === undefined
      ? OWN[scheme].accent
      : readableShade(colors.accent as string, surroundings, scheme));
  return { ...surroundings, accent, text: colorIn(colors.text, scheme) ?? OWN[scheme].text };
}

function colorIn(color: Color | undefined, scheme: Scheme): string | undefined {
  if (typeof color === 'string') return scheme === 'light' ? color.toLowerCase() : undefined;
  return color?.[scheme].toLowerCase();
}

function checkContrast(palette: Palette, scheme: Scheme): void {
  for (const name of ['text', 'accent'] as const) {
    for (const behind of ['page', 'surface'] as const) {
      const ratio = contrast(palette[name], palette[behind]);
      if (ratio >= READABLE) continue;
      const better = readableShade(palette[name], palette, scheme);
      throw new TypeError(
        `the option pages.colors.${name}: ${palette[name]} is hard to read on ${palette[behind]} (${behind}) in the ${scheme} scheme: a contrast of ${ratio.toFixed(1)}, where WCAG 2.2 asks for ${READABLE}; ${better} would do`,
      );
    }
  }
}

/** The nearest readable shade of a colour on page and surface: darker in the light scheme, lighter in the dark. */
function readableShade(color: string, behind: { page: string; surface: string }, scheme: Scheme): string {
  const { page, surface } = behind;
  const end = scheme === 'light' ? '#000000' : '#ffffff';
  const shades = Array.from({ length: STEPS + 1 }, (_, step) => mix(color, end, step / STEPS));
  return shades.find((shade) => Math.min(contrast(shade, page), contrast(shade, surface)) >= READABLE) ?? end;
}

function variables(palette: Palette, scheme: Scheme): Readonly<Record<string, string>> {
  const onAccent =
    contrast('#ffffff', palette.accent) >= contrast('#000000', palette.accent) ? '#ffffff' : '#000000';
  const strong = mix(palette.accent, scheme === 'light' ? '#000000' : '#ffffff', 0.18);
  // soft text must be readable on the site's surfaces, too
  const soft = readableShade(OWN[scheme].soft, palette, scheme);
  const tint = mix(palette.surface, palette.accent, 0.1);
  return { ...palette, 'on-accent': onAccent, 'accent-strong': strong, tint, soft };
}

function mix(from: string, to: string, share: number): string {
  const target = channels(to);
  return `#${channels(from)
    .map((value, index) =>
      Math.round(value + ((target[index] ?? 0) - value) * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** WCAG 2.2, "contrast ratio". */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color)
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}
