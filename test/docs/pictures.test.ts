import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { exampleInChromium } from '../interop/support/example-in-chromium.js';
import { describeInChromium } from '../support/chromium.js';
import { textOf } from './blocks.js';
import { FOLDER, takePictures } from './pictures.js';

/** The part of its points in which a picture may differ: ports change, and fonts are drawn a little differently. */
const MAX_DIFFERENCE = 0.03;

describeInChromium('the pictures of README.md', () => {
  const { example, browser } = exampleInChromium();

  test('the pictures of README.md show the present pages; if not, run npm run pictures', async () => {
    const now = await takePictures(example, browser);
    if (process.env.PICTURES === 'write') write(now);
    // other files in the folder are drawings
    const stored = readdirSync(FOLDER).filter((name) => name.endsWith('.png'));
    expect(stored.sort()).toEqual([...now.keys()].sort());
    const page = await (await browser.newContext()).newPage();
    for (const [name, picture] of now) {
      expect(textOf('README.md')).toContain(`docs/pictures/${name}`);
      const difference = await compare(page, readFileSync(join(FOLDER, name)), picture);
      expect([name, difference]).toEqual([name, expect.closeTo(0, 1)]);
      expect([name, difference < MAX_DIFFERENCE]).toEqual([name, true]);
    }
  });
});

function write(pictures: ReadonlyMap<string, Buffer>): void {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, picture] of pictures) writeFileSync(join(FOLDER, name), picture);
}

/** The part of the points that differ, from 0 to 1; 1 for another size. */
async function compare(page: Page, before: Buffer, after: Buffer): Promise<number> {
  const [first, second] = [before, after].map(
    (picture) => `data:image/png;base64,${picture.toString('base64')}`,
  );
  return page.evaluate<number>(
    `Promise.all(${JSON.stringify([first, second])}.map(async (src) => {
      const image = Object.assign(new Image(), { src });
      await image.decode();
      const context = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    })).then(([a, b]) => {
      if (a.width !== b.width || a.height !== b.height) return 1;
      let different = 0;
      for (let at = 0; at < a.data.length; at += 4)
        if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > 40)) different += 1;
      return different / (a.data.length / 4);
    })`,
  );
}
