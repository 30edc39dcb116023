/* global document, navigator, getSelection */
// improvements; each page works without a script

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
  // browsers then store it as a password, and not as a completion of texts
  field.form.addEventListener('submit', () => show(false));
}

// copy buttons; without a script the text can be selected and copied
const copyStatus = document.getElementById('copy-status');

async function copy(button, source) {
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = button.dataset.copied;
    // voice control finds only a name that begins as its text reads (WCAG 2.2 §2.5.3)
    button.ariaLabel = `${button.dataset.copied}: ${button.dataset.of}`;
    copyStatus.textContent = button.dataset.copied;
  } catch {
    // no clipboard without TLS or permission: selects the text
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

// sends a response to a client; once, not again when the browser restores the page
document.querySelector('form[data-sends-itself]')?.requestSubmit();

// the server does not know the user's time zone
for (const time of document.querySelectorAll('time[data-moment]')) {
  const { lang } = time.closest('[lang]');
  const format = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
    dateStyle: 'long',
    timeStyle: 'short',
  });
  time.textContent = format.format(new Date(time.dateTime));
}
