/** What clients may ask for, in each language of the pages, so that people decide in their own. */
export const scopes = {
  'photos:read': {
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
