const photos = {
  group: { en: 'Photos', de: 'Fotos', es: 'Fotos', fr: 'Photos', ja: '写真', ar: 'الصور' },
} as const;
const albums = {
  group: { en: 'Albums', de: 'Alben', es: 'Álbumes', fr: 'Albums', ja: 'アルバム', ar: 'الألبومات' },
} as const;

/** The scopes for clients, described in each language of the pages. */
export const scopes = {
  'photos:read': {
    ...photos,
    description: {
      en: 'See your photos',
      de: 'Ihre Fotos sehen',
      es: 'Ver tus fotos',
      fr: 'Voir vos photos',
      ja: '写真を見る',
      ar: 'رؤية صورك',
    },
  },
  'photos:write': {
    ...photos,
    description: {
      en: 'Add photos to your album',
      de: 'Ihrem Album Fotos hinzufügen',
      es: 'Añadir fotos a tu álbum',
      fr: 'Ajouter des photos à votre album',
      ja: 'アルバムに写真を追加する',
      ar: 'إضافة صور إلى ألبومك',
    },
  },
  'albums:read': {
    ...albums,
    description: {
      en: 'See your albums',
      de: 'Ihre Alben sehen',
      es: 'Ver tus álbumes',
      fr: 'Voir vos albums',
      ja: 'アルバムを見る',
      ar: 'رؤية ألبوماتك',
    },
  },
  'albums:order': {
    ...albums,
    description: {
      en: 'Order your albums as printed books',
      de: 'Ihre Alben als gedruckte Bücher bestellen',
      es: 'Encargar tus álbumes como libros impresos',
      fr: 'Commander vos albums en livres imprimés',
      ja: 'アルバムを印刷した本として注文する',
      ar: 'طلب ألبوماتك ككتب مطبوعة',
    },
  },
};
