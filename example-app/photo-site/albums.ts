import type { Request } from 'express';
import type { ChoiceOptions } from 'express-authorization-server';

import type { Photos } from './photos.js';

/** What a person can pick: one of their albums, or none, which lets the application see all of them. */
export function albumChoice(photos: Photos): ChoiceOptions {
  return {
    label: {
      en: 'Only one of your albums?',
      de: 'Nur eines Ihrer Alben?',
      es: '¿Solo uno de tus álbumes?',
      fr: 'Un seul de vos albums ?',
      ja: 'アルバムを一つに限りますか？',
      ar: 'ألبوم واحد فقط من ألبوماتك؟',
    },
    details: {
      en: 'It sees nothing of the others then. With none picked it sees all of them.',
      de: 'Von den anderen sieht sie dann nichts. Ohne Auswahl sieht sie alle.',
      es: 'Entonces no ve nada de los demás. Si no eliges ninguno, los ve todos.',
      fr: 'Elle ne voit alors rien des autres. Sans choix, elle les voit tous.',
      ja: '選ぶと、ほかのアルバムは見えません。選ばなければ、すべてが見えます。',
      ar: 'لا يرى حينها شيئًا من غيره. وإن لم تختر شيئًا رآها كلها.',
    },
    scopes: ['photos:read'],
    optional: true,
    list: async (user) =>
      (await photos.albumsOf((user as { id: string }).id)).map(({ name, photos: count }) => ({
        value: name,
        label: name,
        details: String(count),
      })),
    // an album whose last photo is gone no longer exists
    holds: async (name, { userId }) => (await photos.albumsOf(userId)).some((album) => album.name === name),
  };
}

/** The album that the token of the request is bound to; undefined if it is for all of them. */
export function albumOf(req: Request): string | undefined {
  const { album } = req.auth?.choices ?? {};
  return album === undefined ? undefined : String(album);
}
