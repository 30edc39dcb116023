/* global document, location, history */
// What every application had to do that used the implicit grant: read the token from the address, and take it out.
const fragment = location.hash.slice(1);
if (fragment !== '') {
  history.replaceState(null, '', location.pathname);
  document.getElementById('fragment').value = fragment;
  document.getElementById('implicit-form').submit();
}
