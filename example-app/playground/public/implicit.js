/* global document, location, history */
// Every application with the implicit grant had to do this: read the token from the address, and remove it.
const fragment = location.hash.slice(1);
if (fragment !== '') {
  history.replaceState(null, '', location.pathname);
  document.getElementById('fragment').value = fragment;
  document.getElementById('implicit-form').submit();
}
