import type { Request } from 'express';
import { z } from 'zod';

import type { Messages } from '../messages/index.js';

/** A colour as `#rrggbb`, for the light scheme alone or for both. */
export type Color = string | { readonly light: string; readonly dark: string };

/** The colours of the pages. What is hard to read together is refused at start-up (WCAG 2.2 §1.4.3). */
export interface ColorOptions {
  /** Buttons, links and what has the focus. Of a single one, the dark scheme gets a lighter shade. */
  readonly accent?: Color;
  /** What the page stands on. A single one is for the light scheme. */
  readonly page?: Color;
  /** Cards and fields. A single one is for the light scheme. */
  readonly surface?: Color;
  /** A single one is for the light scheme. */
  readonly text?: Color;
}

/** More places from which the pages may load, as CSP sources (`https://fonts.example`), for a layout of the host's own. */
export interface SourceOptions {
  readonly style?: readonly string[];
  readonly script?: readonly string[];
  readonly image?: readonly string[];
  readonly font?: readonly string[];
  readonly connect?: readonly string[];
}

/** How the pages look and speak. */
export interface PagesOptions {
  /** The languages that are offered (BCP 47), the default one first. Default: `en`, `de`, `es`, `fr`, `ja`, `ar`, and those of `messages`. */
  readonly locales?: readonly string[];
  /** Texts by language and key, in the place of ours or for a language of the host's: `{ en: { 'login.title': 'Sign in' } }`. */
  readonly messages?: Readonly<Record<string, Partial<Messages>>>;
  /** The language of a request, where the host knows it; asked after `ui_locales` and before `Accept-Language`. */
  readonly locale?: (req: Request) => string | undefined;
  /** The site's logo, shown beside its name: a path on this site, or an https: URL. */
  readonly logo?: string;
  readonly colors?: ColorOptions;
  readonly sources?: SourceOptions;
}

const hexColor = z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #2f54c8');
const color = z.union(
  [hexColor, z.strictObject({ light: hexColor, dark: hexColor })],
  'must be a colour such as #2f54c8, or { light, dark }',
);
// in a header: nothing that could end the directive, nothing that would let injected markup run
const source = z
  .string()
  .regex(
    /^('self'|'(sha256|sha384|sha512)-[A-Za-z0-9+/=]+'|https:\/\/[A-Za-z0-9*.-]+(:\d+)?(\/[^\s;,'"]*)?)$/,
    "must be a CSP source such as https://fonts.example or 'self'; 'unsafe-inline' and the like are not possible",
  );
const sources = z.array(source).optional();
// safe in an attribute and in a header, and never another scheme
const logo = z
  .string()
  .regex(
    /^(\/(?![/\\])|https:\/\/)[^\s"'<>\\;,]*$/,
    'must be a path on this site such as /logo.svg, or an https: URL',
  )
  .refine((value) => URL.canParse(value, 'https://same.invalid'), 'is not a URL');

/** The shape of the option `pages`; what the members say is checked where it is used (languages.ts, theme.ts). */
export const pagesShape = z.strictObject({
  locales: z.array(z.string()).min(1, 'must name one language at least').optional(),
  messages: z.record(z.string(), z.record(z.string(), z.string('must be a text'))).optional(),
  locale: z.custom<never>((value) => typeof value === 'function', 'must be a function').optional(),
  logo: logo.optional(),
  colors: z
    .strictObject({
      accent: color.optional(),
      page: color.optional(),
      surface: color.optional(),
      text: color.optional(),
    })
    .optional(),
  sources: z
    .strictObject({ style: sources, script: sources, image: sources, font: sources, connect: sources })
    .optional(),
});

/** @throws TypeError that names the member of `pages` and what is wrong with it */
export function checkPagesShape(pages: PagesOptions): void {
  const result = pagesShape.safeParse(pages);
  if (result.success) return;
  const [issue] = result.error.issues;
  const unknown =
    issue?.code === 'unrecognized_keys'
      ? ` has no member '${issue.keys[0] ?? ''}'`
      : `: ${issue?.message ?? 'is not valid'}`;
  throw new TypeError(`the option ${['pages', ...(issue?.path ?? [])].join('.')}${unknown}`);
}
