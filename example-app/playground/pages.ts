import { fileURLToPath } from 'node:url';

import type { Response } from 'express';

const stylesheets = ['/playground/assets/playground.css'];

/** Renders a view of the playground, which is outside the photo site's folder. */
export function showPage(res: Response, name: string, values: Readonly<Record<string, unknown>>): void {
  res.render(fileURLToPath(new URL(`./views/${name}.ejs`, import.meta.url)), { ...values, stylesheets });
}

export function showMessage(res: Response, status: number, title: string, text: string): void {
  res.status(status);
  showPage(res, 'message', { title, text });
}
