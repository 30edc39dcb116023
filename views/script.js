/* global document, navigator, getSelection */
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

// copy buttons: what they copy can be selected and copied by hand without them
const copyStatus = document.getElementById('copy-status');

async function copy(button, source) {
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = button.dataset.copied;
    // what is called otherwise than it reads is not found by voice (WCAG 2.2 §2.5.3)
    button.ariaLabel = `${button.dataset.copied}: ${button.dataset.of}`;
    copyStatus.textContent = button.dataset.copied;
  } catch {
    // no clipboard without TLS, or not allowed: the next best is a selection
    getSelection().selectAllChildren(source);
    copyStatus.textContent = button.dataset.selected;
  }
  setTimeout(() => {
    button.textContent = label;
    button.ariaLabel = `${label}: ${button.dataset.of}`;
    copyStatus.textContent = '';
  }, 4000);
}

for (const button of document.querySelectorAll('[data-copy]')) {
  const source = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener('click', () => copy(button, source));
}

// an answer on its way to a client; once, and not again where the browser shows the page out of its memory
document.querySelector('form[data-sends-itself]')?.requestSubmit();

// the server does not know where the person is
for (const time of document.querySelectorAll('time[data-moment]')) {
  const { lang } = time.closest('[lang]');
  const format = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
    dateStyle: 'long',
    timeStyle: 'short',
  });
  time.textContent = format.format(new Date(time.dateTime));
}
