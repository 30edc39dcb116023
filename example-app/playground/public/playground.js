/* global document, location, DOMParser */
// Shows and hides secrets in place. Without this script the same buttons reload the page.
document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!form.matches('form.secrets')) return;
  event.preventDefault();
  const id = form.closest('.exchange').id;
  const query = new URLSearchParams([['show', event.submitter.value]]);
  const response = await fetch(`${location.pathname}?${query}`, { headers: { accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const exchange = page.getElementById(id);
  if (exchange === null) return location.reload();
  exchange.open = true;
  document.getElementById(id).replaceWith(document.adoptNode(exchange));
  exchange.querySelector('form.secrets button').focus();
});
