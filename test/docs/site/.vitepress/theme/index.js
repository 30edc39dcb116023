/* global document, location, window */
import './style.css';

import DefaultTheme from 'vitepress/theme-without-fonts';
import { h, markRaw } from 'vue';

/**
 * The theme of VitePress. From `file:` no page can load the module of another, so each shows the text that it was
 * built with, and a link opens the next page as links do.
 */
export default {
  extends: DefaultTheme,
  enhanceApp({ router }) {
    if (typeof location === 'undefined' || location.protocol !== 'file:') return;
    const text = document.querySelector('.vp-doc > div')?.innerHTML ?? '';
    const go = router.go.bind(router);
    // a folder has no page of its own there
    const toFile = (href) => href.replace(/\/(?=$|[?#])/, '/index.html');
    router.go = (href, options) => (options?.initialLoad ? go(href, options) : location.assign(toFile(href)));
    router.onBeforePageLoad = (href) => {
      Object.assign(router.route, {
        path: new URL(href, 'http://localhost').pathname,
        component: markRaw({ render: () => h('div', { innerHTML: text }) }),
        data: markRaw(window.__PAGE_DATA__),
      });
      return false;
    };
  },
};
