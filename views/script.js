/* global document */
// what is better with a script; each page works without it

const field = document.getElementById('password');
const toggle = document.getElementById('password-toggle');

if (field && toggle) {
  const show = (isShown) => {
    field.type = isShown ? 'text' : 'password';
    toggle.textContent = isShown ? toggle.dataset.hide : toggle.dataset.show;
  };
  toggle.hidden = false;
  toggle.addEventListener('click', () => {
    show(field.type === 'password');
    field.focus();
  });
  // so that browsers keep it as a password, and never among the texts they complete
  field.form.addEventListener('submit', () => show(false));
}
