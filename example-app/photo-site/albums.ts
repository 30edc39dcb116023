import type { Request } from 'express';
import type { ChoiceOptions } from 'express-authorization-server';

import type { Photos } from './photos.js';

/** The choice on the consent page: one album, or all of them. */
export function albumChoice(photos: Photos): ChoiceOptions {
  return {
    label: {
      en: 'Which of your albums may it see?',
      de: 'Welche Ihrer Alben darf sie sehen?',
      es: '¿Qué álbumes puede ver?',
      fr: 'Quels albums peut-elle voir ?',
      ja: 'どのアルバムを見せますか？',
      ar: 'أي ألبوماتك يمكنه رؤيتها؟',
    },
    details: {
      en: 'If you choose one, it sees none of the others.',
      de: 'Wenn Sie eines wählen, sieht sie keines der anderen.',
      es: 'Si eliges uno, no ve ninguno de los demás.',
      fr: 'Si vous en choisissez un, elle ne voit aucun des autres.',
      ja: '一つ選ぶと、ほかのアルバムは見えません。',
      ar: 'إن اخترت واحدًا فلن يرى غيره.',
    },
    scopes: ['photos:read'],
    optional: true,
    noLimit: {
      en: 'All albums',
      de: 'Alle Alben',
      es: 'Todos los álbumes',
      fr: 'Tous les albums',
      ja: 'すべてのアルバム',
      ar: 'كل الألبومات',
    },
    list: async (user, { language = 'en' }) =>
      (await photos.albumsOf((user as { id: string }).id)).map(({ name, photos: count }) => ({
        value: name,
        label: name,
        details: countOf(count, language),
      })),
    // an album whose last photo was deleted no longer exists
    holds: async (name, { userId }) => (await photos.albumsOf(userId)).some((album) => album.name === name),
  };
}

const PHOTOS: Readonly<Record<string, { readonly one: string; readonly other: string }>> = {
  en: { one: 'photo', other: 'photos' },
  de: { one: 'Foto', other: 'Fotos' },
  es: { one: 'foto', other: 'fotos' },
  fr: { one: 'photo', other: 'photos' },
  ja: { one: '枚', other: '枚' },
  ar: { one: 'صورة', other: 'صورة' },
};

function countOf(photos: number, language: string): string {
  const { one, other } = PHOTOS[language] ?? PHOTOS.en!;
  return `${photos} ${photos === 1 ? one : other}`;
}

/** The album in the token of the request; undefined for all albums. */
export function albumOf(req: Request): string | undefined {
  const { album } = req.auth?.choices ?? {};
  return album === undefined ? undefined : String(album);
}
